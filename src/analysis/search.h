/* A search for the best values of parameters. */
#ifndef TRM_ANALYSIS_SEARCH_H
#define TRM_ANALYSIS_SEARCH_H

#include <stdio.h>
#include <trammel/analysis.h>

#include "analysis/differentiate.h"
#include "analysis/goal.h"
#include "analysis/measured.h"

/* An evaluation: of each term, and of the fit behind them. */
typedef struct trm_candidate {
  double *x;     /* [count] parameters */
  double *value; /* [terms + fit] NaN: the run failed */
  double *slope; /* [(terms + fit) × count] */
  struct trm_candidate *next;
} trm_candidate;

typedef struct trm_search {
  trm_optimum found; /* first: it is what users hold */
  trm_arena *arena;
  const trm_model *model;
  const trm_optimize *section;
  const trm_settings *settings;
  trm_terms terms;
  trm_measured fit;
  trm_asked asked;         /* terms, then columns of the record */
  double *values, *slopes; /* [asked], [asked × count] */
  int entries;             /* of a candidate: terms, and the fit if there is one */
  trm_expression **goals;  /* [term_count + condition_count] */
  double *sign;            /* [condition_count] of sign × goal ≤ 0 */
  double *gradient;        /* [terms] of a goal */
  int count, most;
  trm_candidate *points, **last; /* in the order of the log */
  trm_candidate *at;             /* the one that was asked for last */
  double *best;                  /* [count] */
  double best_value;
  double *x; /* [count] */
  FILE *log;
  trm_model *model_found;
  trm_optimum_start *starts; /* [section->starts] */
  trm_optimize_progress progress;
  void *context;
  bool stopped, no_memory;
} trm_search;

/* The candidate with these parameters, from the log or by a run; NULL: out of memory. */
trm_candidate *trm_search_evaluate(trm_search *search, const double *x,
                                   trm_diagnostics *diagnostics, trm_status *status);
/* What is to be small there, or, with goal ≥ 0, factor × that goal; slope [count], or NULL, by
 * parameters as parts of their bounds. */
double trm_search_value(trm_search *search, const trm_candidate *at, int goal, double factor,
                        double *slope);
/* NLopt's methods, from each start; into found, best and starts. */
void trm_search_all(trm_search *search);

#endif
