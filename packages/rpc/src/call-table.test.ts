import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { StateServiceDefinition } from "@gatehouse/proto/service-state";
import { isAllowedCaller, listedRpcServices, serviceNames } from "@gatehouse/trust";
import { expect, test } from "vitest";

const definitions = [
  AdminServiceDefinition,
  AllowanceServiceDefinition,
  ChatServiceDefinition,
  PrincipalServiceDefinition,
  GuardrailServiceDefinition,
  StateServiceDefinition,
];

test("the table of callers has exactly one row per contract", () => {
  expect([...listedRpcServices].toSorted()).toEqual(definitions.map(({ fullName }) => fullName).toSorted());
});

test.each([
  ["the ports of operations", AdminServiceDefinition.fullName, ["control-plane"]],
  ["the states of services", StateServiceDefinition.fullName, ["control-plane"]],
  ["tokens", PrincipalServiceDefinition.fullName, ["router"]],
])("%s have the expected callers alone", (_what, rpcService, expected) => {
  expect(serviceNames.filter((name) => isAllowedCaller(name, rpcService))).toEqual(expected);
});

test.each(["", "constructor", "gatehouse.admin.v1.Other"])(
  "%j, which is not a contract, has no permitted caller",
  (name) => {
    expect(serviceNames.filter((caller) => isAllowedCaller(caller, name))).toEqual([]);
  },
);
