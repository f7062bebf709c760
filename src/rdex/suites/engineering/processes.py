"""Chemical and thermal plants."""

from rdex.suites.engineering.design import Design, Variable

HEAT_EXCHANGER_NETWORK = Design(
    name="heat-exchanger-network",
    title="heat exchanger network",
    kernel="processes.heat_exchanger_network",
    variables=(
        Variable("area of exchanger 1", 0.0, 10.0, "m²"),
        Variable("area of exchanger 2", 0.0, 200.0, "m²"),
        Variable("heat of exchanger 1", 0.0, 100.0, "W"),
        Variable("mean temperature difference 1", 0.0, 200.0, "K"),
        Variable("heat of exchanger 2", 1000.0, 2000000.0, "W"),
        Variable("mean temperature difference 2", 0.0, 600.0, "K"),
        Variable("cold stream between the exchangers", 100.0, 600.0, "K"),
        Variable("hot stream 1 at the outlet", 100.0, 600.0, "K"),
        Variable("hot stream 2 at the outlet", 100.0, 900.0, "K"),
    ),
    equalities=(
        "heat transfer of exchanger 1",
        "heat transfer of exchanger 2",
        "cold side of exchanger 1",
        "cold side of exchanger 2",
        "hot side of exchanger 1",
        "hot side of exchanger 2",
        "logarithmic mean 1",
        "logarithmic mean 2",
    ),
    objective="cost of the two exchangers",
    optimum=189.3116296866205,
    optimum_x=(0, 10000 / 600, 0, 200, 2000000, 600, 100, 600, 700),
    source="C. A. Floudas, P. M. Pardalos et al., Handbook of Test Problems in Local and Global "
    "Optimization, 1999; B. V. Babu, R. Angira, Comput. Chem. Eng. 30 (2006) 989-1002; RC01 of "
    "A. Kumar et al., Swarm Evol. Comput. 56 (2020) 100693",
    remark="With the bounds of RC01, which leave exchanger 1 all but unused. The value is exact: "
    "exchanger 2 bears all 2 MW at equal differences of 600 K; the tolerance of the equalities "
    "gains less than 1e-6. Logarithms of differences below 1e-8 K stay at that of 1e-8, so that "
    "the whole box has finite values. Equalities in watts met to 1e-4 make it hard.",
)

PROCESS_SYNTHESIS = Design(
    name="process-synthesis",
    title="process synthesis and design",
    kernel="processes.process_synthesis",
    variables=(
        Variable("flow 1", 0.0, 1.2),
        Variable("flow 2", 0.0, 1.8),
        Variable("flow 3", 0.0, 2.5),
        Variable("unit 1 is built", 0, 1, "-", True),
        Variable("unit 2 is built", 0, 1, "-", True),
        Variable("unit 3 is built", 0, 1, "-", True),
        Variable("unit 4 is built", 0, 1, "-", True),
    ),
    inequalities=(
        "sum of all",
        "squares with unit 3",
        "flow 1 with unit 1",
        "flow 2 with unit 2",
        "flow 3 with unit 3",
        "flow 1 with unit 4",
        "squares of flow 2 with unit 2",
        "squares of flow 3 with unit 3",
        "squares of flow 3 with unit 2",
    ),
    objective="cost, scaled",
    optimum=4.579582402436707,
    optimum_x=(0.2, 0.7999999999999998, 1.907878402833891, 1, 1, 0, 1),
    source="X. Yuan, S. Zhang, L. Pibouleau, S. Domenech, RAIRO Oper. Res. 22 (1988) 331-346; "
    "C. A. Floudas, A. Aggarwal, A. R. Ciric, Comput. Chem. Eng. 13 (1989) 1117-1132",
    remark="The variant with (y2 - 2)^2 in the objective; 4.579582 is also the published best and "
    "the minimum: for each choice of units the rest is convex, and all were tried. The variant "
    "with (y2 - 1)^2 has 3.557461.",
)

GAS_COMPRESSOR = Design(
    name="gas-compressor",
    title="gas transmission compressor",
    kernel="processes.gas_compressor",
    variables=(
        Variable("distance between stations", 20.0, 50.0, "mi"),
        Variable("compression ratio", 1.0, 10.0),
        Variable("pipe diameter", 20.0, 50.0, "in"),
        Variable("square of the ratio less one", 0.1, 60.0),
    ),
    inequalities=("compression ratio",),
    objective="yearly cost, dollars",
    optimum=2964895.4173391606,
    optimum_x=(50, 1.17828395294634, 24.59259008127447, 0.388353073770853),
    source="C. S. Beightler, D. T. Phillips, Applied Geometric Programming, 1976",
    remark="The published best is 2964895.417.",
)

DESIGNS = (HEAT_EXCHANGER_NETWORK, PROCESS_SYNTHESIS, GAS_COMPRESSOR)
