import { expect, test } from "vitest";
import { GuardRoom, judgedBodyBytesMax, replyRoom } from "./guard-room.ts";

const step = 1024 * 1024;

/** Holds until the room refuses; returns the bytes and the refusal's code. */
function fill(room: GuardRoom, project: string) {
  const reply = room.open(project);
  for (let held = 0; ; held += step) {
    try {
      reply.hold(step);
    } catch (err) {
      return { reply, held, code: (err as { code?: string }).code };
    }
  }
}

test("projects that hold all they may leave room for a reply of each of several others", () => {
  const room = new GuardRoom(replyRoom);
  const slow = Array.from({ length: 4 }, (_, at) => fill(room, `slow-${at}`));
  expect(slow[0]).toMatchObject({ held: replyRoom.ofProject, code: "too_many_requests" });
  const others = Array.from({ length: 6 }, (_, at) => fill(room, `other-${at}`));
  for (const { held, code } of others) {
    // The largest reply as it came, and decoded.
    expect(held).toBeGreaterThanOrEqual(2 * judgedBodyBytesMax);
    expect(code).toBe("too_many_requests");
  }
  expect(fill(room, "last")).toMatchObject({ held: 0, code: "unavailable" });
});

test("a project has all of its room again when others have given theirs back", () => {
  const room = new GuardRoom(replyRoom);
  const slow = Array.from({ length: 4 }, (_, at) => fill(room, `slow-${at}`));
  expect(slow.at(-1)).toMatchObject({ held: replyRoom.ofProjectInNeed });
  for (const { reply } of slow) reply.release();
  expect(fill(room, "slow-3")).toMatchObject({ held: replyRoom.ofProject });
});
