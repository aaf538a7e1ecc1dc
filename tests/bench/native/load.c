/*
 * The load generator. One thread, one epoll set, HTTP/1.1 keep-alive over loopback; a report in JSON on stdout.
 *
 *   load port=8080 request=FILE connections=64 seconds=2 rate=0 marker=TEXT markers=1 end=TEXT status=200
 *        requests=N timeoutMs=10000 rampMs=0 leaveAfter=0 seed=1 requestBytes=0
 *
 * rate=0 is a closed loop: each connection sends its next request when the reply is complete. rate>0 is an open loop: request i
 * is due at (i + jitter) / rate whatever became of the others, and its latency counts from that moment (no coordinated omission).
 * A reply is right when its status fits, `marker` occurs `markers` times and `end` occurs. leaveAfter=k closes a connection rudely
 * after k markers. requestBytes=n: the file holds many requests of n bytes each, sent in turn. Every loop is bounded: by seconds, by requests, by timeoutMs, by ERRORS_MAX.
 */
#include "reply.h"
#include "samples.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 4096, ERRORS_MAX = 500, READ_BYTES = 64 * 1024, REQUEST_BYTES_MAX = 16 * 1024 * 1024 };

struct options {
  int port, connections, status, markers, leave_after, timeout_ms, ramp_ms, request_bytes;
  long requests;
  double seconds, rate;
  uint64_t seed;
  const char *request, *marker, *end;
};

struct connection {
  int fd, busy, wants_write, markers;
  size_t sent, scanned;
  const char *request;
  int64_t due, last_marker;
  struct reply reply;
};

static struct options options = {.port = 0, .connections = 1, .status = 200, .markers = 1, .timeout_ms = 10000,
                                 .requests = 10000000, .seconds = 1, .seed = 1, .request = "", .marker = "", .end = ""};
static struct connection *connections;
static int *idle_queue;              /* a ring, first in first out, so that no connection ages */
static size_t idle_head, idle_count;
static char *request_bytes;
static size_t request_size, request_count;
static struct samples latencies, first_markers, gaps;
static long issued, completed, chunks, left_early, wrong_status, wrong_content, broken, timed_out;
static int epoll_fd, active;
static int64_t started_at, ends_at;
static uint64_t random_state;
static char example[200];

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) { perror(what); exit(2); }

/* xorshift64*: the same seed gives every system the same arrivals. */
static double random_unit(void) {
  random_state ^= random_state >> 12, random_state ^= random_state << 25, random_state ^= random_state >> 27;
  return (double)((random_state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

static long errors_total(void) { return wrong_status + wrong_content + broken + timed_out; }

static void watch(struct connection *c, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (epoll_ctl(epoll_fd, operation, c->fd, &event)) die("epoll_ctl");
}

static int open_connection(struct connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct timeval limit = {.tv_sec = 5};
  int on = 1;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0) die("socket");
  setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address)) {
    close(c->fd);
    c->fd = -1;
    return 0;
  }
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  watch(c, EPOLLIN, EPOLL_CTL_ADD);
  return 1;
}

static void drop_connection(struct connection *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
}

static void give_back(struct connection *c) {
  c->busy = 0;
  active--;
  idle_queue[(idle_head + idle_count++) % (size_t)options.connections] = (int)(c - connections);
}

static void fail(struct connection *c, long *kind, const char *what) {
  ++*kind;
  if (!example[0]) {
    int size = (int)(c->reply.body_size > 120 ? 120 : c->reply.body_size);
    snprintf(example, sizeof example, "%s; status %d; %.*s", what, c->reply.status, size, size ? c->reply.body : "");
  }
  drop_connection(c);
  give_back(c);
}

static void send_more(struct connection *c) {
  ssize_t n = send(c->fd, c->request + c->sent, request_size - c->sent, MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN) { fail(c, &broken, strerror(errno)); return; }
  if (n > 0) c->sent += (size_t)n;
  int wants_write = c->sent < request_size;
  if (wants_write != c->wants_write) watch(c, wants_write ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
  c->wants_write = wants_write;
}

static void issue(struct connection *c, int64_t due) {
  c->request = request_bytes + (size_t)issued % request_count * request_size;
  issued++;
  active++;
  c->busy = 1;
  c->due = due;
  c->sent = c->scanned = 0;
  c->markers = c->wants_write = 0;
  reply_reset(&c->reply);
  if (c->fd < 0 && !open_connection(c)) fail(c, &broken, "connect failed");
  else send_more(c);
}

/* Counts the markers that have newly arrived. */
static void scan(struct connection *c, int64_t now) {
  size_t size = strlen(options.marker);
  int fresh = 0;
  for (const char *hit; (hit = memmem(c->reply.body + c->scanned, c->reply.body_size - c->scanned, options.marker, size)); fresh++)
    c->scanned = (size_t)(hit - c->reply.body) + size;
  if (c->reply.body_size >= size && c->reply.body_size - size + 1 > c->scanned) c->scanned = c->reply.body_size - size + 1;
  if (!fresh) return;
  if (c->markers == 0) record(&first_markers, now - c->due);
  else record(&gaps, now - c->last_marker);
  c->markers += fresh;
  c->last_marker = now;
  chunks += fresh;
}

static void finish(struct connection *c, int64_t now) {
  const struct reply *r = &c->reply;
  size_t end_size = strlen(options.end);
  if (r->status != options.status) { fail(c, &wrong_status, "wrong status"); return; }
  if (c->markers != options.markers) { fail(c, &wrong_content, "wrong number of markers"); return; }
  if (end_size && !memmem(r->body, r->body_size, options.end, end_size)) { fail(c, &wrong_content, "no end marker"); return; }
  completed++;
  record(&latencies, now - c->due);
  if (r->closes || r->state == UNTIL_CLOSE) drop_connection(c);
  give_back(c);
}

static void receive(struct connection *c) {
  static char buffer[READ_BYTES];
  ssize_t n = recv(c->fd, buffer, sizeof buffer, 0);
  if (n < 0 && errno == EAGAIN) return;
  if (!c->busy) { drop_connection(c); return; }
  int64_t now = now_ns();
  if (n <= 0) {
    if (n == 0 && c->reply.state == UNTIL_CLOSE) finish(c, now);
    else fail(c, &broken, n ? strerror(errno) : "closed before the end of the reply");
    return;
  }
  if (!reply_feed(&c->reply, buffer, (size_t)n)) { fail(c, &broken, "not a valid HTTP reply"); return; }
  if (options.marker[0] && c->reply.body_size) scan(c, now);
  if (options.leave_after && c->markers >= options.leave_after) {
    left_early++;
    drop_connection(c);
    give_back(c);
  } else if (c->reply.state == COMPLETE) {
    finish(c, now);
  }
}

/* When request number `index` is due; INT64_MAX when it will not be sent. */
static int64_t due_time(long index) {
  static long known = -1;
  static int64_t due;
  if (index == known) return due;
  known = index;
  if (options.rate > 0) due = started_at + (int64_t)(((double)index + random_unit()) * 1e9 / options.rate);
  else if (index < options.connections) due = started_at + (int64_t)options.ramp_ms * 1000000LL * index / options.connections;
  else due = 0;
  return due;
}

static int may_issue(int64_t now, int64_t due) {
  return issued < options.requests && errors_total() < ERRORS_MAX && (options.rate > 0 ? due : now) < ends_at;
}

/* Sends what is due while there are idle connections. Returns when the next one is due, or 0 when that is not a matter of time. */
static int64_t issue_due(void) {
  while (idle_count > 0) {
    int64_t now = now_ns(), due = due_time(issued);
    if (!may_issue(now, due)) return 0;
    if (due > now) return due;
    struct connection *c = &connections[idle_queue[idle_head]];
    idle_head = (idle_head + 1) % (size_t)options.connections;
    idle_count--;
    issue(c, options.rate > 0 ? due : now_ns());
  }
  return 0;
}

static void fail_late(int64_t now) {
  static int64_t checked_at;
  if (now - checked_at < 100000000LL) return;
  checked_at = now;
  for (int i = 0; i < options.connections; i++) {
    struct connection *c = &connections[i];
    int64_t since = c->markers ? c->last_marker : c->due;
    if (c->busy && now - since > options.timeout_ms * 1000000LL) fail(c, &timed_out, "no progress within the time limit");
  }
}

static void run(int timer_fd) {
  struct epoll_event events[256];
  for (;;) {
    int64_t due = issue_due();
    if (!active && !due) return;
    struct itimerspec next = {.it_value = {.tv_sec = due / 1000000000LL, .tv_nsec = due % 1000000000LL}};
    static int64_t armed;
    if (due != armed && timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &next, NULL)) die("timerfd_settime");
    armed = due;
    int n = epoll_wait(epoll_fd, events, 256, 100);
    for (int i = 0; i < n; i++) {
      struct connection *c = events[i].data.ptr;
      if (!c) {
        uint64_t ticks;
        if (read(timer_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) die("read timer");
        armed = 0;
        continue;
      }
      if (c->fd >= 0 && c->busy && (events[i].events & EPOLLOUT)) send_more(c);
      if (c->fd >= 0 && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) receive(c);
    }
    fail_late(now_ns());
  }
}

static void print_report(double seconds) {
  printf("{\"generator\":\"c\",\"seconds\":%.6f,\"issued\":%ld,\"completed\":%ld,\"leftEarly\":%ld,\"chunks\":%ld,", seconds, issued,
         completed, left_early, chunks);
  printf("\"errors\":{\"status\":%ld,\"content\":%ld,\"connection\":%ld,\"timeout\":%ld},\"example\":\"", wrong_status, wrong_content,
         broken, timed_out);
  for (const char *p = example; *p; p++)
    if ((unsigned char)*p < 32) putchar(' ');
    else { if (*p == '"' || *p == '\\') putchar('\\'); putchar(*p); }
  putchar('"');
  print_samples("latencyUs", &latencies);
  print_samples("firstUs", &first_markers);
  print_samples("gapUs", &gaps);
  puts("}");
}

static void parse_option(char *text) {
  char *value = strchr(text, '=');
  if (!value) { fprintf(stderr, "not key=value: %s\n", text); exit(2); }
  *value++ = 0;
  const struct { const char *key; int *at; } integers[] = {
      {"port", &options.port}, {"connections", &options.connections}, {"status", &options.status}, {"markers", &options.markers},
      {"leaveAfter", &options.leave_after}, {"timeoutMs", &options.timeout_ms}, {"rampMs", &options.ramp_ms}, {"requestBytes", &options.request_bytes}};
  const struct { const char *key; const char **at; } texts[] = {{"request", &options.request}, {"marker", &options.marker}, {"end", &options.end}};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    if (!strcmp(text, integers[i].key)) { *integers[i].at = atoi(value); return; }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(text, texts[i].key)) { *texts[i].at = value; return; }
  if (!strcmp(text, "seconds")) options.seconds = atof(value);
  else if (!strcmp(text, "rate")) options.rate = atof(value);
  else if (!strcmp(text, "requests")) options.requests = atol(value);
  else if (!strcmp(text, "seed")) options.seed = strtoull(value, NULL, 10);
  else { fprintf(stderr, "unknown option: %s\n", text); exit(2); }
}

static void read_request(void) {
  FILE *file = fopen(options.request, "rb");
  if (!file) die(options.request);
  if (!(request_bytes = malloc(REQUEST_BYTES_MAX))) die("malloc");
  size_t size = fread(request_bytes, 1, REQUEST_BYTES_MAX, file);
  fclose(file);
  request_size = options.request_bytes > 0 ? (size_t)options.request_bytes : size;
  if (!size || size == REQUEST_BYTES_MAX || size % request_size) { fputs("the requests do not fit\n", stderr); exit(2); }
  request_count = size / request_size;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) parse_option(argv[i]);
  if (options.connections < 1 || options.connections > CONNECTIONS_MAX) { fputs("connections out of range\n", stderr); return 2; }
  prctl(PR_SET_PDEATHSIG, 15);
  prctl(PR_SET_TIMERSLACK, 1000UL);
  read_request();
  random_state = options.seed * 0x9E3779B97F4A7C15ULL | 1;
  connections = calloc((size_t)options.connections, sizeof *connections);
  idle_queue = calloc((size_t)options.connections, sizeof *idle_queue);
  if (!connections || !idle_queue) die("calloc");
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (epoll_fd < 0 || timer_fd < 0) die("epoll_create1, timerfd_create");
  struct epoll_event timer_event = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &timer_event)) die("epoll_ctl");
  for (int i = 0; i < options.connections; i++) {
    connections[i].fd = -1;
    if (!open_connection(&connections[i])) die("connect");
    idle_queue[idle_count++] = i;
  }
  started_at = now_ns();
  ends_at = started_at + (int64_t)(options.seconds * 1e9);
  run(timer_fd);
  print_report((double)(now_ns() - started_at) / 1e9);
  return 0;
}
