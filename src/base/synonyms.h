/* Words of other programs and of daily speech, and what they are called here. */
#ifndef TRM_BASE_SYNONYMS_H
#define TRM_BASE_SYNONYMS_H

typedef enum trm_synonym_place {
  TRM_SYNONYM_JOINT, /* type of a joint */
  TRM_SYNONYM_FORCE, /* type of a force */
  TRM_SYNONYM_KEY,
  TRM_SYNONYM_FUNCTION,
  TRM_SYNONYM_NAME, /* in a formula */
  TRM_SYNONYM_PLACES
} trm_synonym_place;

typedef struct trm_synonym {
  const char *word;
  const char *here; /* what it is called here; NULL: only the hint says what to do */
  const char *hint; /* a sentence, or NULL */
} trm_synonym;

/* The first one whose name here is among `names`, or that has none; or NULL. No names: any. */
const trm_synonym *trm_synonym_find(trm_synonym_place place, const char *word,
                                    const char *const *names, int count);

/* The key that was meant, by what it is called elsewhere or by its spelling; or NULL. */
const char *trm_meant_key(const char *word, const char *const *names, int count);

#endif
