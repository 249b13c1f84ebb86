/* The F and Student distributions. */
#ifndef TRM_RESULT_DISTRIBUTION_H
#define TRM_RESULT_DISTRIBUTION_H

/* I_x(a, b), a, b > 0; y = 1 − x is given too, for it may be far smaller than x can tell. */
double trm_incomplete_beta(double a, double b, double x, double y);

/* Freedoms need not be whole numbers; 0 < p < 1. */
double trm_f_probability(double F, double d1, double d2);
double trm_f_quantile(double p, double d1, double d2);

/* The t that a Student variable exceeds, in absolute value, with probability 1 − p. */
double trm_t_two_sided(double p, double freedoms);

#endif
