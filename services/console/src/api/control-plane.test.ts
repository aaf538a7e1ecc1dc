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

test("a refusal has its detail and the argument that it names", async () => {
  const data = { detail: "The address is not public.", argument: "url" };
  vi.stubGlobal(
    "fetch",
    async () => await Promise.resolve(Response.json({ error: { code: -32_602, message: "Blocked.", data } })),
  );
  const refused = new ControlPlane(() => "").call("svc_create_webhook", {});
  await expect(refused).rejects.toMatchObject({ message: "Blocked. The address is not public.", argument: "url" });
});

test("a refusal of the present session ends it", async () => {
  const err = await refusalAfter(() => undefined);
  expect([isSignedOut(err), isPassing(err)]).toEqual([true, false]);
});

test("a refusal of an earlier session allows another try", async () => {
  const err = await refusalAfter((session) => (session.csrfToken = "second"));
  expect([isSignedOut(err), isPassing(err)]).toEqual([false, true]);
});
