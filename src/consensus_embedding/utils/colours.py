"""Colours of all pictures, safe for colour-blind eyes."""

# Okabe and Ito's colours for lines; Tol's muted set and a grey for ten classes.
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
# Of the stability of a point, in the order of its categories.
STABILITY = {"stable": LINES[0], "uncertain": LINES[4], "unstable": LINES[1]}
CLASSES = [
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
    "#666666",
]
