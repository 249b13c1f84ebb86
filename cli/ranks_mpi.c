/* A study on all ranks of an MPI job. Rank 0 hands out blocks of runs to whoever asks, and computes
 * beside that; each rank keeps its runs in a log of its own. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#ifdef TRM_MPI

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { ASK = 1, BLOCK, BYE };

bool trm_cli_ranks_begin(trm_cli_ranks *ranks, const trm_cli_arguments *arguments) {
  int given;
  (void)arguments;
  /* threads take turns */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS ||
      given < MPI_THREAD_SERIALIZED) {
    trm_cli_error("this MPI does not let threads take turns (MPI_THREAD_SERIALIZED)");
    return false;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
  return true;
}

void trm_cli_ranks_end(void) {
  MPI_Finalize();
}

int trm_cli_ranks_agree(int number) {
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return number;
}

/* --- rank 0 --- */

typedef struct head {
  trm_sweep *sweep;
  int ranks, threads;
  trm_sweep_progress progress;
  void *context;
  trm_diagnostics *diagnostics;
  trm_status status;
  atomic_bool stop, done;
  _Atomic uint64_t elsewhere; /* runs that other ranks have finished */
} head;

static bool take(void *context, uint64_t *first, uint64_t *count) {
  head *h = context;
  return !atomic_load(&h->stop) &&
         trm_sweep_take(h->sweep, (h->ranks - 1 + h->threads), first, count);
}

static bool tell(void *context, uint64_t done, uint64_t all) {
  head *h = context;
  bool go_on = !h->progress || h->progress(h->context, done + atomic_load(&h->elsewhere), all);
  if (!go_on) atomic_store(&h->stop, true);
  return go_on;
}

static void *compute(void *context) {
  head *h = context;
  h->status = trm_sweep_run(h->sweep, h->threads, take, h, tell, h, h->diagnostics);
  if (h->status != TRM_OK) atomic_store(&h->stop, true);
  atomic_store(&h->done, true);
  return NULL;
}

/* Answers one message, if there is one. Which it was, or 0. */
static int answer(head *h) {
  int there = 0;
  MPI_Status from;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
  if (!there) return 0;
  uint64_t finished, block[2] = {0, 0};
  MPI_Recv(&finished, 1, MPI_UINT64_T, from.MPI_SOURCE, from.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  atomic_fetch_add(&h->elsewhere, finished);
  if (from.MPI_TAG == BYE) return BYE;
  if (!take(h, &block[0], &block[1])) block[1] = 0;
  MPI_Send(block, 2, MPI_UINT64_T, from.MPI_SOURCE, BLOCK, MPI_COMM_WORLD);
  return ASK;
}

static trm_status lead(head *h) {
  pthread_t worker;
  bool helped = pthread_create(&worker, NULL, compute, h) == 0;
  if (!helped) atomic_store(&h->done, true); /* the others do all */
  for (int left = h->ranks - 1, idle = 0; left > 0 || !atomic_load(&h->done);) {
    int message = answer(h);
    left -= message == BYE;
    idle = message ? 0 : idle + 1;
    /* asleep, so that the runs of this rank have the processor */
    struct timespec rest = {0, idle < 20 ? 50000 : 1000000};
    if (!message) nanosleep(&rest, NULL);
    if (!helped && atomic_load(&h->done)) tell(h, 0, trm_sweep_part(h->sweep));
  }
  if (helped) pthread_join(worker, NULL);
  return h->status;
}

/* --- the others --- */

typedef struct follower {
  pthread_mutex_t turn;
  uint64_t finished; /* the block before, for rank 0's count */
  bool asked;
  uint64_t block[2]; /* the answer, when it is there */
  MPI_Request answer;
} follower;

static void ask_ahead(follower *f) {
  MPI_Irecv(f->block, 2, MPI_UINT64_T, 0, BLOCK, MPI_COMM_WORLD, &f->answer);
  MPI_Send(&f->finished, 1, MPI_UINT64_T, 0, ASK, MPI_COMM_WORLD);
  f->asked = true;
}

/* Asleep in between: MPI's own waiting takes a whole processor. */
static void await(MPI_Request *request) {
  int there = 0;
  MPI_Test(request, &there, MPI_STATUS_IGNORE);
  for (long rest = 20000; !there; rest = rest < 1000000 ? 2 * rest : rest) {
    struct timespec pause = {0, rest};
    nanosleep(&pause, NULL);
    MPI_Test(request, &there, MPI_STATUS_IGNORE);
  }
}

static void await_all(void) {
  MPI_Request all;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  await(&all);
}

/* The next block is asked for while this one is done. */
static bool ask(void *context, uint64_t *first, uint64_t *count) {
  follower *f = context;
  pthread_mutex_lock(&f->turn);
  if (!f->asked) ask_ahead(f);
  await(&f->answer);
  f->asked = false;
  *first = f->block[0];
  *count = f->finished = f->block[1];
  if (*count > 0) ask_ahead(f);
  pthread_mutex_unlock(&f->turn);
  return *count > 0;
}

static bool go_on(void *context, uint64_t done, uint64_t all) {
  (void)context;
  (void)done;
  (void)all;
  return !trm_cli_stopped();
}

static trm_status follow(trm_sweep *sweep, int threads, trm_diagnostics *diagnostics) {
  follower f = {.finished = 0};
  pthread_mutex_init(&f.turn, NULL);
  trm_status status = trm_sweep_run(sweep, threads, ask, &f, go_on, NULL, diagnostics);
  uint64_t finished = 0;
  if (f.asked) await(&f.answer); /* stopped: what was asked for is left to the next start */
  MPI_Send(&finished, 1, MPI_UINT64_T, 0, BYE, MPI_COMM_WORLD);
  pthread_mutex_destroy(&f.turn);
  return status;
}

trm_status trm_cli_ranks_run(const trm_cli_ranks *ranks, trm_sweep *sweep, int threads,
                             trm_sweep_progress progress, void *context,
                             trm_diagnostics *diagnostics) {
  if (ranks->rank > 0) {
    trm_status status = follow(sweep, threads, diagnostics);
    await_all();
    return status;
  }
  head h = {.sweep = sweep,
            .ranks = ranks->count,
            .threads = threads,
            .progress = progress,
            .context = context,
            .diagnostics = diagnostics};
  trm_status status = lead(&h);
  await_all(); /* all logs are written */
  return status;
}

#endif
