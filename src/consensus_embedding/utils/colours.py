"""Colours of all pictures, safe for colour-blind eyes."""

# Okabe and Ito's colours for lines; Tol's muted set and black for ten classes.
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
# Of the stability of a point, in the order of its categories.
STABILITY = {"stable": LINES[0], "uncertain": LINES[4], "unstable": LINES[1]}
STABILITY_MARKERS = {"stable": "o", "uncertain": "^", "unstable": "x"}
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
    "#000000",
]
MARKERS = "osD^vPX<>*"
OTHER = "#bbbbbb"
# Most labels that shape and colour can distinguish; of more labels, this many get a number, the others are grey.
FEW_LABELS, NUMBERED_LABELS = len(MARKERS), 30


def look_of_label(k: int, few: bool) -> tuple[str, str]:
    """Colour and marker of the k-th label: with few, each has a marker of its own; with more, each ten share one."""
    return CLASSES[k % len(CLASSES)], MARKERS[k if few else k // len(CLASSES)]


# Of numbers: matplotlib's cividis (Nunez, Anderton and Renslow 2018) at 17 places from 0 to 1.
SEQUENTIAL = [
    "#00224e",
    "#002e6a",
    "#1a386f",
    "#32436d",
    "#434e6c",
    "#535a6d",
    "#61656f",
    "#6f7073",
    "#7d7c78",
    "#8c8878",
    "#9b9476",
    "#aba072",
    "#bcae6c",
    "#cdbb63",
    "#dec958",
    "#f0d846",
    "#fee838",
]
