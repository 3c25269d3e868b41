"""What the page says of the experiments where they ran on the user's own items alone."""

from replication.platform.declarations import Own

OWN = {
    "gland_retrieval": Own(
        text=(
            "Which items are nearest to each query (tables queries_<name>), and how far can these answers be "
            "trusted? A share M of the labelled items is embedded (training), a share S of these keeps its label, "
            "and all others are placed in the embedding without a label: by NM-GE, which uses no labels, and by "
            "OSE-SSL, which uses those of the training items. GE and SSGE embed all items at once. AUPRC says how "
            "well items of the class of a query rank before the others, averaged over classes; the silhouette index "
            "says how far the classes are apart. Compare with the dissimilarity itself, without any embedding, and "
            "with items at random places (table chance). The extrapolated items are what a new query is."
        ),
        captions={
            "curves": (
                "Silhouette index (left) and AUPRC, averaged over classes (right), against the share M of training "
                "items, over all items, and below over the extrapolated ones alone. Solid: OSE-SSL at three shares S"
                " of labels, and NM-GE. Dashed: SSGE and GE of all items. Dash-dotted: ranking by the dissimilarity "
                "itself; dotted: items at random places. Lines are means over the draws, bands ± SD over the draws. "
                "At M = 100 % nothing is extrapolated."
            ),
            "needed": (
                "The smallest share M of training items from which on OSE-SSL stays at most 0.05 below SSGE of all "
                "items with the same S (at the left: NM-GE below GE), by the one-sided 95 % bound of the paired "
                "difference over the draws. “none < 100”: no share suffices."
            ),
            "error": (
                "Error of the similarities among the extrapolated items against M: Frobenius norm of the difference,"
                " divided by the L1 norm of the training similarities (left), by the number of entries (middle), and"
                " by the Frobenius norm of the true similarities (right). Means over the draws, bands their range. "
                "Dotted: the error of a matrix of zeros."
            ),
        },
        left_out=("query", "outlines", "separation", "regions", "variants"),
        finding=True,
    ),
}
