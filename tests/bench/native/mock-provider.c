/*
 * A model provider that costs next to nothing: OpenAI's chat completions over HTTP/1.1 on 127.0.0.1, one thread, replies made
 * beforehand. Prints "listening PORT". GET /stats tells what became of the calls.
 *
 * The request's `model` says how a `"stream": true` call is answered: "stream-<chunks>-<ms>" sends that many chunks that far
 * apart (0: all in one write); any other model streams 10 chunks in one write. Without `stream` the reply is one JSON object.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 8192, REQUEST_BYTES_MAX = 8 * 1024 * 1024, CHUNKS_MAX = 10000, EVENT_BYTES_MAX = 512, REPLY_BYTES_MAX = 1024,
       /* Prompts from here on are billed by their size: a bill of 12 tokens would be checked by the gateway, which counts them. */
       BILLED_BYTES_MIN = 64 * 1024, BYTES_PER_TOKEN = 4 };

#define STREAM_HEAD "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
#define CHUNK_ID "\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"bench\""
#define USAGE "\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":50,\"total_tokens\":62}"

struct connection {
  int fd, slot, streaming;
  char *in;
  size_t in_size, in_capacity;
  const char *out;                 /* being written */
  size_t out_size;
  char *owned;                     /* freed when `out` is written */
  int chunks, chunks_sent, pace_ms;
  int64_t stream_started_at;
  int paced_at;                    /* index in `paced`, or -1 */
};

static struct connection *paced[CONNECTIONS_MAX];
static int paced_count, epoll_fd, timer_fd;
static char chat_reply[REPLY_BYTES_MAX], first_event[EVENT_BYTES_MAX * 2], content_event[EVENT_BYTES_MAX], last_events[EVENT_BYTES_MAX * 2];
static size_t chat_reply_size, first_event_size, content_event_size, last_events_size;
static long requests, streams_opened, streams_completed, streams_aborted;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) { perror(what); exit(2); }

/* One server-sent event as one HTTP chunk. */
static size_t put_event(char *at, const char *json) {
  return (size_t)sprintf(at, "%zx\r\ndata: %s\n\n\r\n", strlen(json) + 8, json);
}

/* A whole reply for a prompt of that many tokens. */
static size_t put_reply(char *at, size_t prompt_tokens) {
  char body[800];
  int size = snprintf(body, sizeof body,
      "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"bench\",\"choices\":[{\"index\":0,"
      "\"message\":{\"role\":\"assistant\",\"content\":\"gate-ok The gate is open from eight in the morning until six in the evening, and "
      "the keeper will ask for your name and for the purpose of your visit.\"},\"logprobs\":null,\"finish_reason\":\"stop\"}],"
      "\"usage\":{\"prompt_tokens\":%zu,\"completion_tokens\":50,\"total_tokens\":%zu},\"system_fingerprint\":\"fp_bench\"}",
      prompt_tokens, prompt_tokens + 50);
  return (size_t)snprintf(at, REPLY_BYTES_MAX,
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", size, body);
}

static void make_replies(void) {
  chat_reply_size = put_reply(chat_reply, 12);
  first_event_size = (size_t)sprintf(first_event, "%s", STREAM_HEAD);
  first_event_size += put_event(first_event + first_event_size,
      "{" CHUNK_ID ",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}");
  content_event_size = put_event(content_event,
      "{" CHUNK_ID ",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"gate \"},\"finish_reason\":null}]}");
  last_events_size = put_event(last_events, "{" CHUNK_ID ",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}");
  last_events_size += put_event(last_events + last_events_size, "{" CHUNK_ID ",\"choices\":[]," USAGE "}");
  last_events_size += put_event(last_events + last_events_size, "[DONE]");
  last_events_size += (size_t)sprintf(last_events + last_events_size, "0\r\n\r\n");
}

static void leave_paced(struct connection *c) {
  if (c->paced_at < 0) return;
  paced[c->paced_at] = paced[--paced_count];
  paced[c->paced_at]->paced_at = c->paced_at;
  c->paced_at = -1;
}

static void close_connection(struct connection *c) {
  if (c->streaming) streams_aborted++;
  leave_paced(c);
  close(c->fd);
  free(c->in);
  free(c->owned);
  free(c);
}

static void watch(struct connection *c, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &event)) die("epoll_ctl");
}

/* Writes what it can of `out`. Returns 0 when the connection is broken. */
static int flush(struct connection *c) {
  ssize_t n = send(c->fd, c->out, c->out_size, MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN) return 0;
  if (n > 0) c->out += n, c->out_size -= (size_t)n;
  if (c->out_size) { watch(c, EPOLLIN | EPOLLOUT); return 1; }
  free(c->owned);
  c->owned = NULL;
  if (c->streaming && c->chunks_sent > c->chunks) c->streaming = 0, streams_completed++, leave_paced(c);
  return 1;
}

static int write_out(struct connection *c, const char *data, size_t size) {
  c->out = data;
  c->out_size = size;
  return flush(c);
}

/* Sends what is due of a paced stream. A slow reader holds up its own stream only. */
static int advance(struct connection *c, int64_t now) {
  while (c->streaming && !c->out_size && now >= c->stream_started_at + (int64_t)c->chunks_sent * c->pace_ms * 1000000LL) {
    int is_last = c->chunks_sent == c->chunks;
    c->chunks_sent++;
    if (!write_out(c, is_last ? last_events : content_event, is_last ? last_events_size : content_event_size)) return 0;
  }
  return 1;
}

static int start_burst(struct connection *c) {
  size_t size = first_event_size + content_event_size * (size_t)c->chunks + last_events_size;
  char *at = c->owned = malloc(size);
  if (!at) return 0;
  memcpy(at, first_event, first_event_size), at += first_event_size;
  for (int i = 0; i < c->chunks; i++) memcpy(at, content_event, content_event_size), at += content_event_size;
  memcpy(at, last_events, last_events_size);
  c->chunks_sent = c->chunks + 1;
  return write_out(c, c->owned, size);
}

static int start_stream(struct connection *c, const char *model) {
  c->chunks = 10, c->pace_ms = 0;
  if (model) sscanf(model, "stream-%d-%d", &c->chunks, &c->pace_ms);
  if (c->chunks < 1 || c->chunks > CHUNKS_MAX) c->chunks = 10;
  streams_opened++;
  c->streaming = 1;
  if (c->pace_ms <= 0) return start_burst(c);
  c->chunks_sent = 0;
  c->stream_started_at = now_ns();
  c->paced_at = paced_count;
  paced[paced_count++] = c;
  return write_out(c, first_event, first_event_size) && advance(c, c->stream_started_at);
}

/* The value after a JSON key at any depth; NULL when absent. `key` comes with its quotes. */
static const char *value_of(const char *body, const char *key) {
  const char *at = strstr(body, key);
  if (!at) return NULL;
  for (at += strlen(key); *at == ' ' || *at == ':' || *at == '"'; at++) {}
  return at;
}

static int answer(struct connection *c, const char *head, const char *body, size_t body_size) {
  if (!strncmp(head, "GET /stats", 10)) {
    char json[256];
    int size = snprintf(json, sizeof json, "{\"requests\":%ld,\"streamsOpened\":%ld,\"streamsCompleted\":%ld,\"streamsAborted\":%ld}", requests,
                        streams_opened, streams_completed, streams_aborted);
    if (!(c->owned = malloc(512))) return 0;
    size = sprintf(c->owned, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", size, json);
    return write_out(c, c->owned, (size_t)size);
  }
  requests++;
  const char *stream = value_of(body, "\"stream\"");
  if (stream && !strncmp(stream, "true", 4)) return start_stream(c, value_of(body, "\"model\""));
  if (body_size < BILLED_BYTES_MIN) return write_out(c, chat_reply, chat_reply_size);
  if (!(c->owned = malloc(REPLY_BYTES_MAX))) return 0;
  return write_out(c, c->owned, put_reply(c->owned, body_size / BYTES_PER_TOKEN));
}

/* Answers the request that has arrived whole, if one has. Returns 0 when the connection is to be closed. */
static int serve(struct connection *c) {
  c->in[c->in_size] = 0;
  char *head_end = memmem(c->in, c->in_size, "\r\n\r\n", 4);
  if (!head_end) return c->in_size < 64 * 1024;
  char *body = head_end + 4;
  size_t body_size = c->in_size - (size_t)(body - c->in), expected = 0;
  head_end[2] = 0;
  const char *length = strcasestr(c->in, "\r\ncontent-length:");
  int chunked = strcasestr(c->in, "\r\ntransfer-encoding: chunked") != NULL;
  head_end[2] = '\r';
  if (length) expected = strtoul(length + 17, NULL, 10);
  if (chunked ? body_size < 5 || memcmp(body + body_size - 5, "0\r\n\r\n", 5) : body_size < expected) return 1;
  c->in_size = 0;
  return answer(c, c->in, body, body_size);
}

static int receive(struct connection *c) {
  if (c->in_capacity - c->in_size < 16 * 1024) {
    c->in_capacity = c->in_capacity ? c->in_capacity * 2 : 32 * 1024;
    if (c->in_capacity > REQUEST_BYTES_MAX || !(c->in = realloc(c->in, c->in_capacity + 1))) return 0;
  }
  ssize_t n = recv(c->fd, c->in + c->in_size, c->in_capacity - c->in_size, 0);
  if (n <= 0) return n < 0 && errno == EAGAIN;
  c->in_size += (size_t)n;
  return serve(c);
}

static void accept_all(int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    int on = 1;
    struct connection *c = calloc(1, sizeof *c);
    if (!c) die("calloc");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c->fd = fd;
    c->paced_at = -1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event)) die("epoll_ctl");
  }
}

static void advance_paced(void) {
  int64_t now = now_ns();
  for (int i = paced_count - 1; i >= 0; i--)
    if (!advance(paced[i], now)) close_connection(paced[i]);
}

static void arm_timer(void) {
  int64_t next = INT64_MAX;
  for (int i = 0; i < paced_count; i++) {
    if (paced[i]->out_size) continue;
    int64_t due = paced[i]->stream_started_at + (int64_t)paced[i]->chunks_sent * paced[i]->pace_ms * 1000000LL;
    if (due < next) next = due;
  }
  if (next == INT64_MAX) next = 0;
  struct itimerspec at = {.it_value = {.tv_sec = next / 1000000000LL, .tv_nsec = next % 1000000000LL}};
  if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &at, NULL)) die("timerfd_settime");
}

static int listen_on_loopback(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096)) die("listen");
  if (getsockname(fd, (struct sockaddr *)&address, &size)) die("getsockname");
  printf("listening %d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

int main(void) {
  struct epoll_event events[256];
  static char listener_tag, timer_tag;
  prctl(PR_SET_PDEATHSIG, 15);
  make_replies();
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (epoll_fd < 0 || timer_fd < 0) die("epoll_create1, timerfd_create");
  int listener = listen_on_loopback();
  struct epoll_event on_accept = {.events = EPOLLIN, .data.ptr = &listener_tag}, on_timer = {.events = EPOLLIN, .data.ptr = &timer_tag};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &on_accept) || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &on_timer)) die("epoll_ctl");
  for (int had_paced = 0;;) {
    int n = epoll_wait(epoll_fd, events, 256, -1);
    for (int i = 0; i < n; i++) {
      struct connection *c = events[i].data.ptr;
      if ((void *)c == &listener_tag) { accept_all(listener); continue; }
      if ((void *)c == &timer_tag) { uint64_t ticks; if (read(timer_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) die("read"); continue; }
      int alive = 1;
      if (events[i].events & EPOLLOUT) watch(c, EPOLLIN), alive = !c->out_size || flush(c);
      if (alive && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) alive = receive(c);
      if (!alive) close_connection(c);
    }
    if (paced_count) advance_paced();
    if (paced_count || had_paced) arm_timer();
    had_paced = paced_count > 0;
  }
}
