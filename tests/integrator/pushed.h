/* One body under one force, for what a formula does to a method. */
#ifndef TRM_TESTS_PUSHED_H
#define TRM_TESTS_PUSHED_H

#include "../rail.h"

/* A cart of 2 kg on a rail, at 1 m/s, under a force given by a formula. */
static inline trm_model *pushed_cart(const char *force) {
  trm_model *model = rail_model("cart", 2, 0, 1);
  rail_push(model, "cart", force);
  trm_model_add_output(model, "cart.x");
  trm_model_add_output(model, "cart.vx");
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

#endif
