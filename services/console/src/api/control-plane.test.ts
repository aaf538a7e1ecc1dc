import { afterEach, expect, test, vi } from "vitest";
import { isPassing, isSignedOut } from "./call-error.ts";
import { ControlPlane } from "./control-plane.ts";

afterEach(() => void vi.unstubAllGlobals());

/** A Control Plane that refuses a call after running `whileAsked`. */
async function refusalAfter(whileAsked: (session: { csrfToken: string }) => void): Promise<unknown> {
  const session = { csrfToken: "first" };
  vi.stubGlobal("fetch", async () => {
    whileAsked(session);
    return await Promise.resolve(Response.json({ error: "Sign in first." }, { status: 401 }));
  });
  return await new ControlPlane(() => session.csrfToken).call("svc_list_projects", {}).catch((err: unknown) => err);
}

test("a refusal of the present session ends it", async () => {
  const err = await refusalAfter(() => undefined);
  expect([isSignedOut(err), isPassing(err)]).toEqual([true, false]);
});

test("a refusal of an earlier session allows another try", async () => {
  const err = await refusalAfter((session) => (session.csrfToken = "second"));
  expect([isSignedOut(err), isPassing(err)]).toEqual([false, true]);
});
