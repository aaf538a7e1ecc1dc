/* Times that were measured: kept whole, so that quantiles are exact. */
#ifndef GATEHOUSE_BENCH_SAMPLES_H
#define GATEHOUSE_BENCH_SAMPLES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES_MAX = 1 << 24 };

/* Times in units of 100 ns. */
struct samples { uint32_t *at; size_t count, capacity; };

static void record(struct samples *s, int64_t ns) {
  if (s->count == s->capacity) {
    if (s->capacity >= SAMPLES_MAX) return;
    s->capacity = s->capacity ? s->capacity * 2 : 4096;
    s->at = realloc(s->at, s->capacity * sizeof *s->at);
    if (!s->at) { perror("realloc"); exit(2); };
  }
  int64_t units = ns / 100;
  s->at[s->count++] = units < 0 ? 0 : units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double at_quantile(const struct samples *s, double q) {
  if (!s->count) return 0;
  size_t rank = (size_t)(q * (double)s->count + 0.999999);
  return s->at[rank ? rank - 1 : 0] / 10.0;
}

static void print_samples(const char *name, struct samples *s) {
  double sum = 0;
  if (s->count) qsort(s->at, s->count, sizeof *s->at, by_value);
  for (size_t i = 0; i < s->count; i++) sum += s->at[i] / 10.0;
  printf(",\"%s\":{\"count\":%zu,\"mean\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}", name, s->count,
         s->count ? sum / (double)s->count : 0, at_quantile(s, 0.5), at_quantile(s, 0.9), at_quantile(s, 0.99), at_quantile(s, 0.999),
         at_quantile(s, 1));
}
#endif
