/* An incremental parser of one HTTP/1.1 reply: what the load generator must know, and no more. */
#ifndef GATEHOUSE_BENCH_REPLY_H
#define GATEHOUSE_BENCH_REPLY_H
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD_BYTES_MAX = 16 * 1024, BODY_BYTES_MAX = 4 * 1024 * 1024 };
enum reply_state { IN_HEAD, IN_BODY, IN_CHUNK_SIZE, IN_CHUNK, IN_CHUNK_END, IN_TRAILER, UNTIL_CLOSE, COMPLETE, BROKEN };

struct reply {
  enum reply_state state;
  int status;
  int closes;            /* the server will close the connection after this reply */
  char head[HEAD_BYTES_MAX + 1];
  size_t head_size;
  char *body;            /* decoded; kept between replies */
  size_t body_size, body_capacity;
  size_t left;           /* bytes left of the body or of the chunk */
  size_t line_size;      /* bytes seen of a chunk-size or trailer line */
};

static void reply_reset(struct reply *r) {
  r->state = IN_HEAD;
  r->status = r->closes = 0;
  r->head_size = r->body_size = r->left = r->line_size = 0;
}

static int append_body(struct reply *r, const char *data, size_t size) {
  if (r->body_size + size > BODY_BYTES_MAX) return 0;
  if (r->body_size + size > r->body_capacity) {
    size_t capacity = r->body_capacity ? r->body_capacity : 16 * 1024;
    while (capacity < r->body_size + size) capacity *= 2;
    char *grown = realloc(r->body, capacity);
    if (!grown) return 0;
    r->body = grown;
    r->body_capacity = capacity;
  }
  memcpy(r->body + r->body_size, data, size);
  r->body_size += size;
  return 1;
}

static void parse_head(struct reply *r) {
  r->head[r->head_size] = 0;
  r->status = strncmp(r->head, "HTTP/1.", 7) == 0 ? atoi(r->head + 9) : 0;
  r->closes = strcasestr(r->head, "\r\nconnection: close") != NULL;
  const char *length = strcasestr(r->head, "\r\ncontent-length:");
  if (strcasestr(r->head, "\r\ntransfer-encoding: chunked")) {
    r->state = IN_CHUNK_SIZE;
  } else if (length) {
    r->left = strtoul(length + 17, NULL, 10);
    r->state = r->left ? IN_BODY : COMPLETE;
  } else {
    r->state = r->status == 204 ? COMPLETE : UNTIL_CLOSE;
  }
}

/* Takes bytes up to the blank line; returns how many. */
static size_t feed_head(struct reply *r, const char *data, size_t size) {
  size_t before = r->head_size, room = HEAD_BYTES_MAX - before, take = size < room ? size : room;
  memcpy(r->head + before, data, take);
  size_t from = before < 3 ? 0 : before - 3;
  const char *end = memmem(r->head + from, before + take - from, "\r\n\r\n", 4);
  r->head_size = before + take;
  if (!end) {
    if (take == room) r->state = BROKEN;
    return take;
  }
  r->head_size = (size_t)(end - r->head) + 4;
  parse_head(r);
  return r->head_size - before;
}

/* One byte of a chunk-size line, of the line end after a chunk, or of the trailer. */
static void feed_framing(struct reply *r, char byte) {
  if (r->state == IN_CHUNK_SIZE) {
    int digit = byte >= '0' && byte <= '9' ? byte - '0' : (byte | 32) >= 'a' && (byte | 32) <= 'f' ? (byte | 32) - 'a' + 10 : -1;
    if (digit >= 0) r->left = r->left * 16 + (size_t)digit, r->line_size++;
    else if (byte == '\n') {
      if (r->line_size == 0 || r->left > BODY_BYTES_MAX) r->state = BROKEN;
      else r->state = r->left ? IN_CHUNK : IN_TRAILER;
      r->line_size = 0;
    } else if (byte != '\r') r->state = BROKEN;
  } else if (r->state == IN_CHUNK_END) {
    if (byte == '\n') r->state = IN_CHUNK_SIZE, r->left = 0, r->line_size = 0;
  } else if (byte == '\n') {
    r->state = r->line_size == 0 ? COMPLETE : IN_TRAILER;
    r->line_size = 0;
  } else if (byte != '\r') {
    r->line_size++;
  }
}

/* Feeds what was read. Returns 0 when bytes follow a complete reply, or the reply makes no sense. */
static int reply_feed(struct reply *r, const char *data, size_t size) {
  while (size > 0) {
    size_t take = 1;
    if (r->state == COMPLETE || r->state == BROKEN) return 0;
    if (r->state == IN_HEAD) {
      take = feed_head(r, data, size);
    } else if (r->state == IN_BODY || r->state == IN_CHUNK) {
      take = size < r->left ? size : r->left;
      if (!append_body(r, data, take)) return 0;
      r->left -= take;
      if (r->left == 0) r->state = r->state == IN_BODY ? COMPLETE : IN_CHUNK_END;
    } else if (r->state == UNTIL_CLOSE) {
      take = size;
      if (!append_body(r, data, take)) return 0;
    } else {
      feed_framing(r, *data);
    }
    data += take;
    size -= take;
  }
  return r->state != BROKEN;
}
#endif
