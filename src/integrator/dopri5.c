/* Dormand and Prince's method of order 5 with one of order 4 and the interpolant of order 4
 * (Hairer, Nørsett, Wanner: DOPRI5). */
#include "integrator/integrator.h"

static const double a[6][6] = {
    {0},
    {1 / 5.0},
    {3 / 40.0, 9 / 40.0},
    {44 / 45.0, -56 / 15.0, 32 / 9.0},
    {19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0},
    {9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0}};
static const double b[6] = {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0};
static const double c[6] = {0, 1 / 5.0, 3 / 10.0, 4 / 5.0, 8 / 9.0, 1};

/* the seventh stage is the next step's first */
const trm_tableau trm_dopri5 = {5, 6, &a[0][0], b, c};

static const double error[7] = {71 / 57600.0,      0,          -71 / 16695.0, 71 / 1920.0,
                                -17253 / 339200.0, 22 / 525.0, -1 / 40.0};
static const double dense[7] = {-12715105075 / 11282082432.0,  0,
                                87487479700 / 32700410799.0,   -10690763975 / 1880347072.0,
                                701980252875 / 199316789632.0, -1453857185 / 822651844.0,
                                69997945 / 29380423.0};

const trm_pair trm_pair_dopri5 = {.tableau = &trm_dopri5, .error = error, .dense = dense};
