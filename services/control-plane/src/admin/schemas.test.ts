import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { operations } from "./operations.ts";

/** The lists of a document are tried at their bounds, up to 100,000 items. */
const timeoutMs = 90_000;

test.each(operations)(
  "$name enforces what its schema says",
  (operation) => {
    expect(findDisagreement(operation)).toBeUndefined();
  },
  timeoutMs,
);
