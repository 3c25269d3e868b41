"""Verdicts on cells: how far a method lies below another, and where two are equivalent."""

import pandas as pd
import pytest
from replication.papers.sparks2011.retrieval_cells import is_asked_for
from replication.shared.judgements import NotTestable
from replication.shared.statistics import paired_comparison
from test_retrieval_judges import JITTER, NO, OPEN, WITH_ONE_THAT_HOLDS, YES, at, judge, made, parts

# --- a shortfall that is still there

SHORT = {"method": "ose_ssl", "against": "ssge", "metrics": ["si"], "training": {"at": 0.8}, "labelled": {"from": 0.6},
         "criterion": "beyond", "margin": 0.1, "baseline": "nm_ge",
         "reported": [["ose_ssl", "recomputed"], ["nm_ge", "ssge"]]}  # fmt: skip


def short(gaps, spread=1.0, objects=("all", "extrapolated"), baseline=0.1, **more):
    """
    OSE-SSL below SSGE at training 80 % by a gap per labelled share; where nothing is asked, by 0.3 or by nothing.

    SSGE is 0.5 above NM-GE, of which a tenth is 0.05.
    """

    def ours(m, s, which, metric):
        return 0.6 - (gaps.get(s, 0.0) if which in objects else 0.3) if m == 0.8 else 0.6 - 0.3 * (m == 0.2)

    table = made({"ose_ssl": ours, "ssge": at(0.6), "nm_ge": at(baseline)}, **more)
    wide = table["method"] == "ose_ssl"
    return table.assign(value=table["value"] + wide * (spread - 1) * JITTER[table["repetition"].astype(int)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gaps", "spread", "expected"),
    [
        ({0.6: 0.2, 0.9: 0.2}, 1, YES),
        # Little is missing, and surely so: this share suffices.
        ({0.6: 0.0, 0.9: 0.0}, 1, NO),
        # It is above the margin in the mean alone, or below it in the mean alone.
        ({0.6: 0.06, 0.9: 0.06}, 1, OPEN),
        ({0.6: 0.04, 0.9: 0.04}, 1, OPEN),
        # A large spread is no evidence for the claim.
        ({0.6: 0.0, 0.9: 0.0}, 20, OPEN),
        ({0.6: 0.2, 0.9: 0.2}, 20, OPEN),
        # One labelled share at which it suffices contradicts, one that is open leaves open.
        ({0.6: 0.2, 0.9: 0.0}, 1, NO),
        ({0.6: 0.2, 0.9: 0.06}, 1, OPEN),
        # Few labels are not asked for.
        ({0.3: 0.0, 0.6: 0.2, 0.9: 0.2}, 1, YES),
    ],
)
def test_a_share_that_does_not_suffice_has_to_be_shown(gaps, spread, expected):
    assert parts(judge("compare/grid", short(gaps, spread), SHORT)) == ("", "", expected)
    one = judge("compare/grid", short(gaps, spread, objects=("all",)), SHORT)
    if spread == 1:
        # The extrapolated ones lie 0.3 below.
        assert one.magnitude == WITH_ONE_THAT_HOLDS[expected]


def test_the_bounds_are_those_of_the_t_test():
    table = short({0.6: 0.07, 0.9: 0.2}, spread=0.5)
    rows = table[(table["metric"] == "si") & (table["training"] == 0.8) & (table["objects"] == "all")]
    wide = rows[rows["labelled"] == 0.6].pivot(index="repetition", columns="method", values="value")
    baseline = rows[rows["method"] == "nm_ge"].set_index("repetition")["value"]
    lacking = wide["ssge"] - 0.1 * (wide["ssge"] - baseline)
    p_value = paired_comparison(lacking, wide["ose_ssl"], alternative="greater").p_value
    assert (judge("compare/grid", table, SHORT).magnitude == YES) == (p_value < 0.05)
    assert judge("compare/grid", table, SHORT).measured.startswith(
        "SSGE - OSE-SSL at training 80 %, margin 10 % of SSGE - NM-GE: SI all objects +0.070 to +0.200 (of 2 cells "
    )


def test_where_labels_add_little_nothing_can_be_lacking():
    little = short({0.6: 0.0, 0.9: 0.0}, baseline=0.56, dataset="little")
    with pytest.raises(NotTestable, match=r"SSGE is less than 0\.05 above NM-GE everywhere"):
        judge("compare/grid", little, SHORT)
    found = judge("compare/grid", pd.concat([little, short({0.6: 0.2, 0.9: 0.2})]), SHORT)
    assert found.magnitude == YES
    assert "little: SI all objects +0.000 (of 0 cells 0 above, 0 within; 2 left out)" in found.measured


def test_the_margin_is_a_share_of_what_labels_add():
    # 0.05 are lacking: of 0.07 that labels add more than a tenth, of 0.5 a tenth.
    assert judge("compare/grid", short({0.6: 0.05, 0.9: 0.05}, baseline=0.53), SHORT).magnitude == YES
    assert judge("compare/grid", short({0.6: 0.05, 0.9: 0.05}), SHORT).magnitude == OPEN


# --- equivalence in every cell

EQUAL = {"method": "ose_ssl", "against": "ssge", "metrics": ["auprc"], "criterion": "equivalent", "margin": 0.05,
         "training": {"above": 0.2}}  # fmt: skip


def apart(gap, wide=0.2, objects=("all", "extrapolated"), share=0.5):
    """OSE-SSL below SSGE by a gap at one share, and by a wide one where nothing is asked."""

    def ours(m, s, which, metric):
        if m in (0.2, 1.0):
            return 0.6 - wide
        return 0.6 - gap * (m == share and which in objects and s == 0.6)

    return made({"ose_ssl": ours, "ssge": at(0.6)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gap", "expected"), [(0.0, YES), (0.01, YES), (0.045, OPEN), (0.06, OPEN), (0.2, NO), (-0.2, NO), (-0.045, OPEN)]
)
def test_cells_are_equivalent_different_or_open(gap, expected):
    table = apart(gap)
    found = judge("compare/grid", table, EQUAL)
    assert parts(found) == ("", "", expected)
    some = judge("compare/grid", apart(gap, objects=("all",)), EQUAL)
    assert some.magnitude == WITH_ONE_THAT_HOLDS[expected]
    # As the two one-sided tests have it.
    rows = table[(table["objects"] == "all") & (table["metric"] == "auprc") & (table["training"] == 0.5)]
    rows = rows[rows["labelled"] == 0.6].pivot(index="repetition", columns="method", values="value")
    assert (paired_comparison(rows["ose_ssl"], rows["ssge"], margin=0.05).tost_p < 0.05) == (expected == YES)


def test_the_cells_are_counted_and_the_worst_is_named():
    found = judge("compare/grid", apart(0.2), EQUAL)
    assert found.measured.startswith(
        "OSE-SSL - SSGE, AUPRC: all objects equivalent in 5 of 6 cells, different in 1, difference -0.2"
    )
    assert "(largest: training 50 %, labelled 60 %)" in found.measured
    # One group different, the other open.
    both = pd.concat([apart(0.2).query("objects == 'all'"), apart(0.045).query("objects != 'all'")])
    assert judge("compare/grid", both, EQUAL).magnitude == NO


def test_cells_that_are_not_there_cannot_be_equivalent():
    table = apart(0.0)
    with pytest.raises(NotTestable, match=r"no AUPRC of OSE-SSL \(all objects\) at training above 80 %"):
        judge("compare/grid", table, {**EQUAL, "training": {"above": 0.8}})
    lost = (table["method"] == "ssge") & (table["training"] == 0.8)
    with pytest.raises(NotTestable, match="fewer than two draws with AUPRC of OSE-SSL and SSGE in each cell"):
        judge("compare/grid", table[~lost], EQUAL)
    with pytest.raises(NotTestable, match="fewer than two draws"):
        judge("compare/grid", table[table["repetition"] == 0], EQUAL)
    with pytest.raises(ValueError, match=r"'at', 'from', 'above' or 'below', found \{'until': 0.8\}"):
        judge("compare/grid", table, {**EQUAL, "training": {"until": 0.8}})


def test_shares_of_a_range_leave_out_its_end():
    shares = pd.Index([0.1, 0.2, 0.5, 0.7, 0.8])
    assert list(shares[is_asked_for(shares, {"from": 0.2, "below": 0.7})]) == [0.2, 0.5]


def test_one_cell_of_many_does_not_contradict_by_chance():
    """A cell with p = 0.02 alone contradicts; among six it does not (Holm)."""
    # Three draws with a standard error of 0.01: t = 4.8 above the margin.
    table = apart(0.05 + 0.048)
    one = {**EQUAL, "training": {"at": 0.5}, "labelled": {"at": 0.6}}
    assert judge("compare/grid", table, one).magnitude == NO
    found = judge("compare/grid", table, EQUAL)
    assert found.magnitude == OPEN
    assert "different in 0" in found.measured


def test_equivalence_of_other_pairs_is_told():
    others = made({"recomputed": at(0.6), "nm_ge": at(0.3)})
    test = {**EQUAL, "reported": [["ose_ssl", "recomputed"], ["nm_ge", "ssge"]]}
    found = judge("compare/grid", pd.concat([apart(0.0), others]), test)
    assert found.magnitude == YES
    told = found.measured.split("; not judged: ")[1]
    assert told.startswith("OSE-SSL against recomputed SSGE all objects equivalent in 6 of 6 cells")
    assert "; NM-GE against SSGE all objects equivalent in 0 of 6 cells, different in 6, difference -0.3" in told
    alone = judge("compare/grid", apart(0.0), EQUAL)
    assert found.measured == f"{alone.measured}; not judged: {told}"
