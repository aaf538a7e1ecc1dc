import { LightAbort } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { GuardrailServiceDefinition, InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import { describe, expect, test } from "vitest";
import { bindRpc } from "./binding.ts";
import { callDirectly, type DirectHandlers } from "./direct.ts";
import { connectLocally } from "./local.ts";

type Inspect = NonNullable<DirectHandlers<typeof GuardrailServiceDefinition>["inspect"]>;

const request = InspectRequest.fromPartial({ projectUuid: "p" });
const response = InspectResponse.fromPartial({ blocked: true });
const unexpected = () => {
  throw new Error("This method is not part of the test.");
};

function open(inspect?: Inspect) {
  const implementation = {
    inspect: async () => await Promise.resolve({ blocked: true }),
    inspectPiece: unexpected,
    consult: unexpected,
  };
  const binding = bindRpc(GuardrailServiceDefinition, implementation, inspect && { inspect });
  return callDirectly(connectLocally(binding), "inspect");
}

/** An abort that fails the test where its signal is made. */
const unread = {
  aborted: false,
  get signal(): AbortSignal {
    throw new Error("A signal was made.");
  },
};

describe("a direct call", () => {
  test("hands over both messages as they are, without a promise or a signal", () => {
    const requests: unknown[] = [];
    const call = open((asked) => {
      requests.push(asked);
      return response;
    });
    expect(call(request, { abort: unread, deadline: 1_000 })).toBe(response);
    expect(requests[0]).toBe(request);
  });

  test("throws the service's error at once, and anything else as an internal one", () => {
    const options = { abort: unread, deadline: 1_000 };
    const failing = (err: Error) =>
      open(() => {
        throw err;
      });
    expect(() => failing(new GatewayError("rate_limited", "slow"))(request, options)).toThrow("slow");
    expect(() => failing(new Error("defect"))(request, options)).toThrow(expect.objectContaining({ code: "internal" }));
  });

  test("is not made for a caller that has left", () => {
    const abort = new LightAbort();
    abort.abort();
    expect(() => open(() => response)(request, { abort, deadline: 1_000 })).toThrow(
      expect.objectContaining({ code: "cancelled" }),
    );
  });

  test("ends at its deadline and with its caller, whose end the service sees", async () => {
    const signals: AbortSignal[] = [];
    const call = open(async (_request, { signal }) => {
      signals.push(signal);
      return await new Promise<never>(() => {});
    });
    const abort = new LightAbort();
    await expect(call(request, { abort, deadline: 1 })).rejects.toMatchObject({ code: "deadline_exceeded" });
    const left = call(request, { abort, deadline: 10_000 });
    abort.abort();
    await expect(left).rejects.toMatchObject({ code: "cancelled" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("is the client's method where the service has no direct handler", async () => {
    const answer = open()(request, { abort: new LightAbort(), deadline: 1_000 });
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toEqual(response);
  });
});
