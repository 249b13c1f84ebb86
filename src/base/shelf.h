/* What a model was read from: its texts and their trees, formulas, tables, tires, meshes. A model
 * made of it by other values of parameters shares the shelf, so that nothing is read again.
 *
 * While a model is read the shelf is open and belongs to one thread. Then it is closed: nothing on
 * it changes any more, and any number of threads may take from it. It lives as long as a model that
 * holds it. */
#ifndef TRM_BASE_SHELF_H
#define TRM_BASE_SHELF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trm_shelf trm_shelf;

/* Names are unique within their kind. */
typedef enum trm_shelf_kind {
  TRM_SHELF_TEXT,
  TRM_SHELF_TREE,
  TRM_SHELF_FORMULA,
  TRM_SHELF_TABLE,
  TRM_SHELF_TIRE,
  TRM_SHELF_MESH,
  TRM_SHELF_KINDS
} trm_shelf_kind;

trm_shelf *trm_shelf_create(void);            /* open, with one holder; NULL: out of memory */
trm_shelf *trm_shelf_share(trm_shelf *shelf); /* one holder more; accepts NULL */
void trm_shelf_release(trm_shelf *shelf);     /* one less, and the last clears it; accepts NULL */
void trm_shelf_close(trm_shelf *shelf);

/* NULL: it is not there, or there is no shelf. */
const void *trm_shelf_get(const trm_shelf *shelf, trm_shelf_kind kind, const char *name);
/* Whether something of the kind may still be put there. */
bool trm_shelf_is_open(const trm_shelf *shelf, trm_shelf_kind kind);
/* Takes the object over. False: it could not, and the object has been destroyed. */
bool trm_shelf_put(trm_shelf *shelf, trm_shelf_kind kind, const char *name, void *object,
                   void (*destroy)(void *object));

#endif
