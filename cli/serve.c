/* A small HTTP server: a thread a request, and the connection ends with the answer. Whoever does
 * not know the random word, another user or a page from elsewhere, gets nothing. */
#define _GNU_SOURCE /* accept4, getrandom */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "external.h"

enum { WORD = 32, LONGEST_REQUEST = 8192, MOST_CLIENTS = 32, WAIT_SECONDS = 10, LOOK_MS = 100 };

typedef struct server {
  trm_cli_answer answer;
  void *context;
  int socket;
  char word[WORD + 1]; /* 128 bits */
  char address[64];
  atomic_int clients;
} server;

typedef struct client {
  server *server;
  int socket;
} client;

/* ---- one request ---- */

static bool send_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

static const char *name_of(int status) {
  switch (status) {
  case 200: return "OK";
  case 303: return "See Other";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 500: return "Internal Server Error";
  default: return "Bad Request";
  }
}

static bool send_head(const client *c, int status, const char *type, long long size,
                      const char *extra) {
  char head[1600];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: "
                        "%lld\r\nConnection: close\r\nCache-Control: no-store\r\n"
                        "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n%s\r\n",
                        status, name_of(status), type, size, extra);
  return length < (int)sizeof head && send_all(c->socket, head, (size_t)length);
}

static void send_text(const client *c, int status, const char *text, const char *extra) {
  if (send_head(c, status, "text/plain", (long long)strlen(text), extra))
    send_all(c->socket, text, strlen(text));
}

static void send_file(const client *c, const char *path) {
  char bytes[65536];
  struct stat there;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 || fstat(file, &there) != 0 || !S_ISREG(there.st_mode)) {
    send_text(c, 404, "there is no such page\n", "");
  } else if (send_head(c, 200, "text/html", (long long)there.st_size, "")) {
    ssize_t got;
    while ((got = read(file, bytes, sizeof bytes)) > 0 && send_all(c->socket, bytes, (size_t)got))
      ;
  }
  if (file >= 0) close(file);
}

static void send_reply(const client *c, const trm_cli_reply *reply) {
  char where[1200];
  if (reply->status == 200 && reply->file[0]) {
    send_file(c, reply->file);
    return;
  }
  snprintf(where, sizeof where, "Location: /%s/%s\r\n", c->server->word, reply->text);
  send_text(c, reply->status, reply->status == 303 ? "" : reply->text,
            reply->status == 303 ? where : "");
}

/* Up to the empty line; what may follow is of no interest. */
static bool read_request(int from, char *request) {
  size_t used = 0;
  while (used + 1 < LONGEST_REQUEST) {
    ssize_t got = recv(from, request + used, LONGEST_REQUEST - 1 - used, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    used += (size_t)got;
    request[used] = 0;
    if (memmem(request, used, "\r\n\r\n", 4)) return true;
  }
  return false;
}

/* As long for every wrong word. */
static bool is_word(const char *word, const char *path) {
  unsigned char other = 0;
  if (strlen(path) <= WORD || path[WORD] != '/') return false;
  for (int i = 0; i < WORD; i++) other |= (unsigned char)(word[i] ^ path[i]);
  return other == 0;
}

static void answer_request(client *c, char *request) {
  char *rest = request;
  const char *method = strsep(&rest, " "), *path = rest ? strsep(&rest, " ") : NULL;
  trm_cli_reply reply = {.status = 404, .text = "there is no such page\n"};
  if (!path || path[0] != '/' || !rest || strncmp(rest, "HTTP/1.", 7) != 0)
    reply = (trm_cli_reply){.status = 400, .text = "that is no request\n"};
  else if (is_word(c->server->word, path + 1) &&
           (strcmp(method, "GET") == 0 || strcmp(method, "POST") == 0))
    c->server->answer(c->server->context, method, path + WORD + 2, &reply);
  send_reply(c, &reply);
}

/* What is not yet read must not end the connection before the answer is there. */
static void hang_up(int socket_of) {
  char rest[4096];
  shutdown(socket_of, SHUT_WR);
  while (recv(socket_of, rest, sizeof rest, 0) > 0)
    ;
  close(socket_of);
}

static void *serve_client(void *context) {
  client *c = context;
  server *s = c->server;
  char *request = malloc(LONGEST_REQUEST);
  if (request && read_request(c->socket, request)) answer_request(c, request);
  free(request);
  hang_up(c->socket);
  free(c);
  atomic_fetch_sub(&s->clients, 1);
  return NULL;
}

/* ---- all of them ---- */

static void take_client(server *s) {
  const struct timeval patience = {WAIT_SECONDS, 0};
  pthread_t thread;
  int socket_of = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC);
  client *c = socket_of >= 0 ? malloc(sizeof *c) : NULL;
  bool room = atomic_fetch_add(&s->clients, 1) < MOST_CLIENTS;
  if (c) {
    *c = (client){s, socket_of};
    setsockopt(socket_of, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_of, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  if (c && room && pthread_create(&thread, NULL, serve_client, c) == 0) {
    pthread_detach(thread);
    return;
  }
  atomic_fetch_sub(&s->clients, 1);
  free(c);
  if (socket_of >= 0) close(socket_of);
}

static bool choose_word(server *s) {
  unsigned char bytes[WORD / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (int i = 0; i < WORD / 2; i++)
    snprintf(s->word + (ptrdiff_t)2 * i, 3, "%02x", (unsigned)bytes[i]);
  return true;
}

static bool listen_here(server *s) {
  struct sockaddr_in here = {.sin_family = AF_INET};
  socklen_t size = sizeof here;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  s->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool good = s->socket >= 0 && choose_word(s) &&
              bind(s->socket, (const struct sockaddr *)&here, sizeof here) == 0 &&
              listen(s->socket, MOST_CLIENTS) == 0 &&
              getsockname(s->socket, (struct sockaddr *)&here, &size) == 0;
  if (good)
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", (int)ntohs(here.sin_port),
             s->word);
  else
    trm_cli_error("--open: no page can be served on this machine: %s", strerror(errno));
  return good;
}

bool trm_cli_serve(trm_cli_answer answer, void *context, bool quiet) {
  server s = {.answer = answer, .context = context, .socket = -1};
  bool good = listen_here(&s);
  if (good) {
    printf("%s%s\n", quiet ? "" : "  the page, until Ctrl-C:       ", s.address);
    trm_cli_flush();
    trm_cli_show_page(s.address); /* without a browser here the address is enough */
  }
  while (good && !trm_cli_stopped()) {
    struct pollfd wait = {s.socket, POLLIN, 0};
    if (poll(&wait, 1, LOOK_MS) > 0) take_client(&s);
  }
  if (s.socket >= 0) close(s.socket);
  /* what they do ends with the signal, too */
  const struct timespec moment = {0, 1000000L * LOOK_MS};
  while (atomic_load(&s.clients) > 0) nanosleep(&moment, NULL);
  return good;
}
