import { expect, test } from "vitest";
import { findUnnamedServices } from "./bound-services.ts";

const tree = (readme: string) => [
  { path: "proto/gatehouse/hats/v1/hats.proto", text: "package gatehouse.hats.v1;\n\nservice HatService {\n}\n" },
  { path: "proto/gatehouse/state/v1/state.proto", text: "package gatehouse.state.v1;\nservice StateService {\n}\n" },
  {
    path: "packages/kernel/src/kernel.ts",
    text: "export function openKernel() {}\nexport function createKernel() {\n  return bindRpc(StateServiceDefinition, {});\n}\n",
  },
  { path: "services/shop/src/app.ts", text: "createKernel();\nbindRpc(HatServiceDefinition, {});\n" },
  { path: "services/shop/src/app.test.ts", text: "bindRpc(OtherServiceDefinition, {});\n" },
  { path: "services/shop/README.md", text: readme },
];

test("a gRPC service that a service binds, directly or through a package, is in its README by its full name", () => {
  expect(findUnnamedServices(tree("`gatehouse.hats.v1.HatService` and StateService"))).toEqual([
    { readme: "services/shop/README.md", service: "gatehouse.state.v1.StateService" },
  ]);
  expect(findUnnamedServices(tree("`gatehouse.hats.v1.HatService.Wear`, `gatehouse.state.v1.StateService`"))).toEqual(
    [],
  );
});
