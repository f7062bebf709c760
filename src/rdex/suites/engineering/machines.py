"""Springs, gears, bearings, brakes and levers."""

from rdex.suites.engineering.design import Design, Variable

TENSION_SPRING = Design(
    name="tension-spring",
    title="tension spring",
    kernel="machines.tension_spring",
    variables=(
        Variable("wire diameter", 0.05, 2.0, "in"),
        Variable("coil diameter", 0.25, 1.3, "in"),
        Variable("active coils", 2.0, 15.0),
    ),
    inequalities=("deflection", "shear stress", "surge frequency", "outside diameter"),
    objective="weight, scaled",
    optimum=0.012665232788319408,
    optimum_x=(0.05168906132428326, 0.3567177456097724, 11.2889654109717),
    source="J. S. Arora, Introduction to Optimum Design, 1989; A. D. Belegundu, thesis, "
    "University of Iowa, 1982",
    remark="The number of coils is continuous, as usual. The published best is 0.0126652328.",
)

SPEED_REDUCER = Design(
    name="speed-reducer",
    title="speed reducer",
    kernel="machines.speed_reducer",
    variables=(
        Variable("face width", 2.6, 3.6, "cm"),
        Variable("module of the teeth", 0.7, 0.8, "cm"),
        Variable("teeth on the pinion", 17, 28, "-", True),
        Variable("length of shaft 1", 7.3, 8.3, "cm"),
        Variable("length of shaft 2", 7.3, 8.3, "cm"),
        Variable("diameter of shaft 1", 2.9, 3.9, "cm"),
        Variable("diameter of shaft 2", 5.0, 5.5, "cm"),
    ),
    inequalities=(
        "bending stress of the teeth",
        "contact stress of the teeth",
        "deflection of shaft 1",
        "deflection of shaft 2",
        "stress in shaft 1",
        "stress in shaft 2",
        "pitch diameter",
        "least relative face width",
        "greatest relative face width",
        "room on shaft 1",
        "room on shaft 2",
    ),
    objective="weight, scaled",
    optimum=2994.4710661468202,
    optimum_x=(3.5, 0.7, 17, 7.3, 7.715319911478245, 3.350214666096448, 5.286654464980222),
    source="J. Golinski, Mech. Mach. Theory 8 (1973) 419-436",
    remark="The variant in which shaft 2 may be as short as 7.3; 2994.471066 is also the published "
    "best. With 7.8 it is 2996.348; CEC 2020 has a variant with 2994.424466.",
)

GEAR_TRAIN = Design(
    name="gear-train",
    title="gear train",
    kernel="machines.gear_train",
    variables=(
        Variable("teeth of driver 1", 12, 60, "-", True),
        Variable("teeth of driver 2", 12, 60, "-", True),
        Variable("teeth of driven 1", 12, 60, "-", True),
        Variable("teeth of driven 2", 12, 60, "-", True),
    ),
    objective="squared error of the ratio against 1/6.931",
    optimum=2.7008571488865134e-12,
    optimum_x=(16, 19, 43, 49),
    source="E. Sandgren, J. Mech. Des. 112 (1990) 223-229",
    remark="Without constraints. 2.700857e-12 is also the published best and the minimum: all "
    "numbers of teeth were tried.",
)

ROLLING_BEARING = Design(
    name="rolling-bearing",
    title="rolling element bearing",
    kernel="machines.rolling_bearing",
    variables=(
        Variable("pitch diameter", 125.0, 150.0, "mm"),
        Variable("ball diameter", 10.5, 31.5, "mm"),
        Variable("number of balls", 4, 50, "-", True),
        Variable("curvature of the inner groove", 0.515, 0.6),
        Variable("curvature of the outer groove", 0.515, 0.6),
        Variable("least ball factor", 0.4, 0.5),
        Variable("greatest ball factor", 0.6, 0.7),
        Variable("outer ring factor", 0.3, 0.4),
        Variable("mobility", 0.02, 0.1),
        Variable("width factor", 0.6, 0.85),
    ),
    inequalities=(
        "room for the balls",
        "least ball diameter",
        "greatest ball diameter",
        "width of the ring",
        "least pitch diameter",
        "running mobility",
        "thickness of the outer ring",
    ),
    objective="minus the dynamic load rating, N",
    optimum=-81859.74159741693,
    optimum_x=(
        125.71905561467423,
        21.425590240828598,
        11,
        0.515,
        0.515,
        0.47814118956729096,
        0.6643190484734847,
        0.3,
        0.09412909980686593,
        0.8285932200246346,
    ),
    source="S. Gupta, R. Tiwari, S. B. Nair, Mech. Mach. Theory 42 (2007) 1418-1443; R. V. Rao, "
    "V. J. Savsani, D. P. Vakharia, Comput. Aided Des. 43 (2011) 303-315",
    remark="Bearing of 160 mm outside, 90 mm bore, 30 mm width. The two constraints that repeat "
    "the bounds of the curvatures are left to the bounds. The published best rating is 81859.74; "
    "higher ones, such as 85539, belong to other variants.",
)

DISK_CLUTCH_BRAKE = Design(
    name="disk-clutch-brake",
    title="multiple disk clutch brake",
    kernel="machines.disk_clutch_brake",
    variables=(
        Variable("inner radius", 60, 80, "mm", True),
        Variable("outer radius", 90, 110, "mm", True),
        Variable("disk thickness", 2, 6, "0.5 mm", True),
        Variable("actuating force", 60, 100, "10 N", True),
        Variable("friction surfaces", 2, 9, "-", True),
    ),
    inequalities=(
        "width of the ring",
        "length of the stack",
        "pressure",
        "pressure times sliding speed",
        "sliding speed",
        "stopping time",
        "braking torque",
    ),
    objective="mass of the disks, kg",
    optimum=0.31365661053440497,
    optimum_x=(70, 90, 2, 93, 3),
    source="A. Osyczka, Evolutionary Algorithms for Single and Multicriteria Design Optimization, "
    "2002",
    remark="All variables are discrete, thickness in steps of 0.5 mm and force in steps of 10 N. "
    "Torque in N m throughout. 0.313657 is also the published best and the minimum: all designs "
    "were tried; several forces attain it. "
    "0.235242 (CEC 2020) is the mass with two surfaces, which here do not stop it in time.",
)

THRUST_BEARING = Design(
    name="thrust-bearing",
    title="hydrostatic thrust bearing",
    kernel="machines.thrust_bearing",
    variables=(
        Variable("bearing radius", 1.0, 16.0, "in"),
        Variable("recess radius", 1.0, 16.0, "in"),
        Variable("oil viscosity", 1.0, 16.0, "1e-6 lb s/in²"),
        Variable("oil flow", 1.0, 16.0, "in³/s"),
    ),
    inequalities=(
        "load carried",
        "inlet pressure",
        "temperature rise of the oil",
        "film thickness",
        "recess inside the bearing",
        "exit loss",
        "mean contact pressure",
    ),
    objective="power loss, ft lb/s",
    optimum=1625.4427590804745,
    optimum_x=(5.955780495322301, 5.389013045776403, 5.358697265744416, 2.2696559633930775),
    source="J. N. Siddall, Optimal Engineering Design, 1982; K. Deb, M. Goyal, Proc. ICGA 1997",
    remark="Published values: 1625.4427650; 1616.12 (CEC 2020) belongs to another variant. "
    "Values are NaN where both radii are equal.",
)

PISTON_LEVER = Design(
    name="piston-lever",
    title="piston lever",
    kernel="machines.piston_lever",
    variables=(
        Variable("height of the pivot", 0.05, 500.0, "in"),
        Variable("base of the pivot", 0.05, 500.0, "in"),
        Variable("place of the piston on the lever", 0.05, 120.0, "in"),
        Variable("piston diameter", 0.05, 500.0, "in"),
    ),
    inequalities=(
        "balance of moments",
        "bending moment of the lever",
        "stroke of the piston",
        "room for the piston",
    ),
    objective="oil volume between 0 and 45 degrees, in³",
    optimum=8.41269832310804,
    optimum_x=(0.05, 2.0415135899182695, 120, 4.083027179836336),
    source="G. N. Vanderplaats, Very Large Scale Optimization, 2002; A. H. Gandomi, X.-S. Yang, "
    "A. H. Alavi, Eng. Comput. 29 (2013) 17-35",
    remark="8.412698 is also the published best. A broad local minimum at 167.4727 attracts many "
    "methods.",
)

DESIGNS = (
    TENSION_SPRING,
    SPEED_REDUCER,
    GEAR_TRAIN,
    ROLLING_BEARING,
    DISK_CLUTCH_BRAKE,
    THRUST_BEARING,
    PISTON_LEVER,
)
