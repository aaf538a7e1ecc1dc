import { expect, test, vi } from "vitest";
import { afterReading } from "./after-reading.ts";

test("a callback runs after its time unless it is cancelled", async () => {
  const [kept, cancelled] = [vi.fn(), vi.fn()];
  afterReading(kept, 5);
  afterReading(cancelled, 5)();
  await vi.waitFor(() => expect(kept).toHaveBeenCalledTimes(1));
  expect(cancelled).not.toHaveBeenCalled();
});
