import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { operations } from "./operations.ts";

/** A policy's schema is the largest of all: some 8 s on a quiet machine. */
const timeoutMs = 120_000;

test.each(operations)(
  "$name enforces what its schema says",
  (operation) => {
    expect(findDisagreement(operation)).toBeUndefined();
  },
  timeoutMs,
);
