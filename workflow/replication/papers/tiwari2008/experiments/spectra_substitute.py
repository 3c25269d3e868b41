"""How hard the private spectra are."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "spectra_substitute",
    title="How hard the private spectra are",
    text=(
        "The spectra of Tiwari, Rosen and Madabhushi 2008 are private, and simulated ones may be harder or easier. "
        "So contrast, noise and normalisation are set by what the paper prints for the methods that it compares "
        "C-LLE with, on studies that no other experiment sees; C-LLE itself is not run. The contrast is the one "
        "whose ratio of choline + creatine to citrate in cancer is nearest to that measured in vivo. At every "
        "noise LLE, PCA and the z-score each take the normalisation that brings them nearest to their own printed "
        "numbers, for PCA with the variance that five components explain; the noise is the one at which all "
        "together are nearest. Peak integration is scored but does not count: the simulator's lines are where its "
        "windows are learnt, so no noise makes it as insensitive as printed. The table of targets shows what "
        "is still missing."
    ),
    reads=("picks",),
    run_tables=("picks",),
    tables={"targets": "spectra_tables.substitute_targets"},
    figures={
        "substitute": Figure(
            "spectra_figures.draw_substitute",
            (
                "Sensitivity (circles) and specificity (squares) of each baseline against the signal-to-noise "
                "ratio of the simulator, one line per normalisation, mean over the studies; pale line: the printed "
                "number; star: the setting picked. Last panel: root mean square difference from all printed "
                "numbers but those of peak integration, each method with the normalisation picked at that noise."
            ),
        ),
    },
    calibrates=True,
)
