/* The numbers of a property file: KEY(name, default, unit, low, high). A default of NAN: there is
 * none, the file must have it. */
#ifndef TRM_TIRE_KEYS_H
#define TRM_TIRE_KEYS_H

#define TINY 1e-30 /* more than nothing */

#define TRM_TIRE_MODEL(KEY)                                                                        \
  KEY(USE_MODE, 4, UNIT_NONE, 0, 14)                                                               \
  KEY(VXLOW, 1, UNIT_SPEED, TINY, HUGE_VAL)                                                        \
  KEY(LONGVL, 16.7, UNIT_SPEED, TINY, HUGE_VAL)

#define TRM_TIRE_DIMENSION(KEY) KEY(UNLOADED_RADIUS, NAN, UNIT_LENGTH, TINY, HUGE_VAL)

#define TRM_TIRE_VERTICAL(KEY)                                                                     \
  KEY(VERTICAL_STIFFNESS, NAN, UNIT_STIFFNESS, TINY, HUGE_VAL)                                     \
  KEY(VERTICAL_DAMPING, 0, UNIT_DAMPING, 0, HUGE_VAL)

#define TRM_TIRE_NOMINAL(KEY)                                                                      \
  KEY(FNOMIN, NAN, UNIT_FORCE, TINY, HUGE_VAL)                                                     \
  KEY(BREFF, 8.4, UNIT_NONE, 0, HUGE_VAL)                                                          \
  KEY(DREFF, 0.27, UNIT_NONE, 0, HUGE_VAL)                                                         \
  KEY(FREFF, 0.07, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

/* a file without a range is valid everywhere */
#define TRM_TIRE_RANGES(KEY)                                                                       \
  KEY(FZMIN, 0, UNIT_FORCE, 0, HUGE_VAL)                                                           \
  KEY(FZMAX, HUGE_VAL, UNIT_FORCE, TINY, HUGE_VAL)                                                 \
  KEY(KPUMIN, -HUGE_VAL, UNIT_NONE, -HUGE_VAL, 0)                                                  \
  KEY(KPUMAX, HUGE_VAL, UNIT_NONE, 0, HUGE_VAL)                                                    \
  KEY(ALPMIN, -HUGE_VAL, UNIT_ANGLE, -HUGE_VAL, 0)                                                 \
  KEY(ALPMAX, HUGE_VAL, UNIT_ANGLE, 0, HUGE_VAL)                                                   \
  KEY(CAMMIN, -HUGE_VAL, UNIT_ANGLE, -HUGE_VAL, 0)                                                 \
  KEY(CAMMAX, HUGE_VAL, UNIT_ANGLE, 0, HUGE_VAL)

#define TRM_TIRE_LONGITUDINAL(KEY)                                                                 \
  KEY(PCX1, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PDX1, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PDX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PDX3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEX3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEX4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PKX1, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PKX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PKX3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PHX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PHX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RBX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RBX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RCX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(REX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(REX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RHX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PTX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PTX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PTX3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_LATERAL(KEY)                                                                      \
  KEY(PCY1, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PDY1, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PDY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PDY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PEY4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PKY1, NAN, UNIT_NONE, -HUGE_VAL, -TINY)                                                      \
  KEY(PKY2, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                        \
  KEY(PKY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PHY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PHY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PHY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PVY4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RBY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RBY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RBY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RCY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(REY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(REY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RHY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RHY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(RVY6, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PTY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(PTY2, 1, UNIT_NONE, TINY, HUGE_VAL)

#define TRM_TIRE_OVERTURNING(KEY)                                                                  \
  KEY(QSX1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QSX2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QSX3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_ROLLING(KEY)                                                                      \
  KEY(QSY1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QSY2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QSY3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QSY4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_ALIGNING(KEY)                                                                     \
  KEY(QBZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ9, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QBZ10, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                    \
  KEY(QCZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ6, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ7, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ8, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QDZ9, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QEZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QEZ2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QEZ3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QEZ4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QEZ5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QHZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QHZ2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QHZ3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(QHZ4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(SSZ1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(SSZ2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(SSZ3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                     \
  KEY(SSZ4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_SCALING(KEY)                                                                      \
  KEY(LFZO, 1, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(LCX, 1, UNIT_NONE, TINY, HUGE_VAL)                                                           \
  KEY(LMUX, 1, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(LEX, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LKX, 1, UNIT_NONE, TINY, HUGE_VAL)                                                           \
  KEY(LHX, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LVX, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LGAX, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LCY, 1, UNIT_NONE, TINY, HUGE_VAL)                                                           \
  KEY(LMUY, 1, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(LEY, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LKY, 1, UNIT_NONE, TINY, HUGE_VAL)                                                           \
  KEY(LHY, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LVY, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LGAY, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LTR, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LRES, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LGAZ, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LXAL, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LYKA, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LVYKA, 1, UNIT_NONE, 0, HUGE_VAL)                                                            \
  KEY(LS, 1, UNIT_NONE, 0, HUGE_VAL)                                                               \
  KEY(LSGKP, 1, UNIT_NONE, TINY, HUGE_VAL)                                                         \
  KEY(LSGAL, 1, UNIT_NONE, TINY, HUGE_VAL)                                                         \
  KEY(LMX, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LVMX, 1, UNIT_NONE, 0, HUGE_VAL)                                                             \
  KEY(LMY, 1, UNIT_NONE, 0, HUGE_VAL)                                                              \
  KEY(LCZ, 1, UNIT_NONE, TINY, HUGE_VAL)
/* the form of 1989: lateral, longitudinal, aligning */
#define TRM_TIRE_1989_LATERAL(KEY)                                                                 \
  KEY(A0, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(A1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A3, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(A4, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(A5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A6, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A7, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A8, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A9, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(A10, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(A11, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(A12, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(A13, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_1989_LONGITUDINAL(KEY)                                                            \
  KEY(B0, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(B1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B6, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B7, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B8, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B9, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(B10, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_1989_ALIGNING(KEY)                                                                \
  KEY(C0, NAN, UNIT_NONE, TINY, HUGE_VAL)                                                          \
  KEY(C1, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C2, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C3, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C4, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C5, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C6, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C7, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C8, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C9, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                       \
  KEY(C10, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C11, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C12, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C13, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C14, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C15, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C16, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)                                                      \
  KEY(C17, 0, UNIT_NONE, -HUGE_VAL, HUGE_VAL)

#define TRM_TIRE_1989_PARAMETER(KEY)                                                               \
  KEY(ROLLING_RESISTANCE, 0, UNIT_NONE, 0, HUGE_VAL)                                               \
  KEY(RELAX_LENGTH_X, 0, UNIT_LENGTH, 0, HUGE_VAL)                                                 \
  KEY(RELAX_LENGTH_Y, 0, UNIT_LENGTH, 0, HUGE_VAL)

#define TRM_TIRE_EVERY(KEY)                                                                        \
  TRM_TIRE_MODEL(KEY)                                                                              \
  TRM_TIRE_DIMENSION(KEY)                                                                          \
  TRM_TIRE_VERTICAL(KEY)                                                                           \
  TRM_TIRE_NOMINAL(KEY)                                                                            \
  TRM_TIRE_RANGES(KEY)                                                                             \
  TRM_TIRE_SCALING(KEY)                                                                            \
  TRM_TIRE_LONGITUDINAL(KEY)                                                                       \
  TRM_TIRE_LATERAL(KEY)                                                                            \
  TRM_TIRE_OVERTURNING(KEY)                                                                        \
  TRM_TIRE_ROLLING(KEY)                                                                            \
  TRM_TIRE_ALIGNING(KEY)                                                                           \
  TRM_TIRE_1989_PARAMETER(KEY)                                                                     \
  TRM_TIRE_1989_LATERAL(KEY)                                                                       \
  TRM_TIRE_1989_LONGITUDINAL(KEY)                                                                  \
  TRM_TIRE_1989_ALIGNING(KEY)

#endif
