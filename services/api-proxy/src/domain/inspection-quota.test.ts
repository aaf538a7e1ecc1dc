import { expect, test } from "vitest";
import { InspectionQuota, judgedBodyBytesMax, replyQuota } from "./inspection-quota.ts";

const step = 1024 * 1024;

/** Holds until the quota refuses; returns the bytes and the refusal's code. */
function fill(quota: InspectionQuota, project: string) {
  const reply = quota.open(project);
  for (let held = 0; ; held += step) {
    try {
      reply.hold(step);
    } catch (err) {
      return { reply, held, code: (err as { code?: string }).code };
    }
  }
}

test("projects at their bound leave room for a reply of each of several others", () => {
  const quota = new InspectionQuota(replyQuota);
  const slow = Array.from({ length: 4 }, (_, at) => fill(quota, `slow-${at}`));
  expect(slow[0]).toMatchObject({ held: replyQuota.ofProject, code: "too_many_requests" });
  const others = Array.from({ length: 6 }, (_, at) => fill(quota, `other-${at}`));
  for (const { held, code } of others) {
    // The largest reply, as received and decoded.
    expect(held).toBeGreaterThanOrEqual(2 * judgedBodyBytesMax);
    expect(code).toBe("too_many_requests");
  }
  expect(fill(quota, "last")).toMatchObject({ held: 0, code: "unavailable" });
});

test("a project has its whole quota again when others have released theirs", () => {
  const quota = new InspectionQuota(replyQuota);
  const slow = Array.from({ length: 4 }, (_, at) => fill(quota, `slow-${at}`));
  expect(slow.at(-1)).toMatchObject({ held: replyQuota.ofProjectInNeed });
  for (const { reply } of slow) reply.release();
  expect(fill(quota, "slow-3")).toMatchObject({ held: replyQuota.ofProject });
});
