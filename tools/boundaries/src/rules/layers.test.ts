import { expect, test } from "vitest";
import { breachesOf } from "../testing/in-memory-repository.ts";

const chat = (path: string, text: string) => ({ [`services/chat/src/${path}`]: text });

test.each([
  ["domain/a.ts", "../store/b.ts", "domain imports store"],
  ["domain/a.ts", "../clients/b.ts", "domain imports clients"],
  ["domain/a.ts", "../rpc/b.ts", "domain imports rpc"],
  ["domain/a.ts", "../http/b.ts", "domain imports http"],
  ["domain/deep/a.ts", "../../config.ts", "domain imports config"],
  ["domain/a.ts", "../generated/prisma/client.ts", "domain imports generated"],
  ["domain/a.ts", "../events.ts", "domain imports events"],
  ["store/a.ts", "../clients/b.ts", "store imports clients"],
  ["store/a.ts", "../rpc/b.ts", "store imports rpc"],
  ["clients/a.ts", "../store/b.ts", "clients imports store"],
  ["clients/a.ts", "../http/b.ts", "clients imports http"],
  ["rpc/a.ts", "../clients/b.ts", "rpc imports clients"],
  ["rpc/a.ts", "../http/b.ts", "rpc imports http"],
  ["rpc/a.ts", "../app.ts", "rpc imports composition"],
  ["rpc/a.ts", "../generated/prisma/client.ts", "rpc imports generated"],
  ["http/a.ts", "../rpc/b.ts", "http imports rpc"],
  ["http/a.ts", "../clients/b.ts", "http imports clients"],
  ["events.ts", "./store/b.ts", "events imports store"],
  ["config.ts", "./app.ts", "config imports composition"],
  ["app/a.ts", "../app.ts", "app imports composition"],
  ["app/a.ts", "../http/b.ts", "app imports http"],
  ["app/a.ts", "../generated/prisma/client.ts", "app imports generated"],
  ["domain/a.ts", "../app/b.ts", "domain imports app"],
  ["clients/a.ts", "../app/b.ts", "clients imports app"],
  ["store/a.ts", "../app/b.ts", "store imports app"],
  ["app.ts", "./main.ts", "composition imports main"],
  ["app.ts", "./generated/prisma/client.ts", "composition imports generated"],
  ["main.ts", "./store/b.ts", "main imports store"],
  ["index.ts", "./store/b.ts", "index imports store"],
  ["metrics.ts", "./http/b.ts", "metrics imports http"],
])("%s may not import %s", (path, specifier, problem) => {
  expect(breachesOf("service-layers", chat(path, `import { b } from "${specifier}";`))).toEqual([
    `services/chat/src/${path}:1 ${problem}: ${specifier}`,
  ]);
});

test.each([
  ["domain/deep/a.ts", `import "../b.ts";`],
  ["store/a.ts", `import "../domain/b.ts"; import "../generated/prisma/client.ts"; import "../events.ts";`],
  ["clients/a.ts", `import "../domain/b.ts"; import type { Config } from "../config.ts";`],
  ["rpc/a.ts", `import "../domain/b.ts"; import "../store/b.ts"; import type { B } from "../clients/b.ts";`],
  ["http/a.ts", `import "../domain/b.ts"; import "./b.ts"; import type { M } from "../metrics.ts";`],
  ["app/a.ts", `import "../store/b.ts"; import "../clients/b.ts"; import "../domain/b.ts"; import "./b.ts";`],
  ["rpc/a.ts", `import "../app/b.ts";`],
  [
    "app.ts",
    `import "./app/a.ts"; import "./http/a.ts"; import "./store/b.ts"; import "./clients/c.ts"; import "./metrics.ts";`,
  ],
  ["main.ts", `import "./app.ts"; import "./config.ts";`],
  ["domain/a.test.ts", `import "../store/b.ts";`],
])("%s may: %s", (path, text) => {
  expect(breachesOf("service-layers", chat(path, text))).toEqual([]);
});

test("layers are for services; packages have their own order", () => {
  expect(breachesOf("service-layers", { "packages/errors/src/domain/a.ts": `import "../store/b.ts";` })).toEqual([]);
});

test.each([
  `import express from "express";`,
  `import type { Request } from "express";`,
  `import { readFile } from "node:fs/promises";`,
  `import { randomUUID } from "node:crypto";`,
  `import { type Hash, randomBytes } from "node:crypto";`,
  `import * as crypto from "node:crypto";`,
  `import { Secret, unseal } from "@gatehouse/vault";`,
  `import { type Agent } from "undici";`,
  `import "@x/clock";`,
])("a domain may not %s", (text) => {
  expect(breachesOf("pure-domain", chat("domain/a.ts", text))).toHaveLength(1);
});

test.each([
  `import { GatewayError } from "@gatehouse/errors";`,
  `import { Secret } from "@gatehouse/vault";`,
  `import { isScope, type Scope } from "@gatehouse/principal";`,
  `import { hash } from "node:crypto";`,
  `import { RE2JS } from "re2js";`,
])("a domain may %s", (text) => {
  expect(breachesOf("pure-domain", chat("domain/a.ts", text))).toEqual([]);
});

test.each([
  ["rpc/a.ts", `import type { Prisma } from "../generated/prisma/client.ts";`],
  ["domain/a.test.ts", `import { PrismaClient } from "../generated/prisma/client.ts";`],
  ["app.ts", `import { Prisma } from "@prisma/client";`],
])("%s may not know the generated client: %s", (path, text) => {
  expect(breachesOf("prisma-in-store", chat(path, text))).toHaveLength(1);
});

test("the store may know the generated client", () => {
  expect(breachesOf("prisma-in-store", chat("store/a.ts", `import "../generated/prisma/client.ts";`))).toEqual([]);
});

test.each([
  ["const at = Date.now();", "a domain file uses Date.now"],
  ["const at = new Date();", "a domain file uses new Date()"],
  ["export const clock = { now: () => performance.now() };", "a domain file uses performance.now"],
  ["const share = Math.random();", "a domain file uses Math.random"],
  ["setTimeout(() => {}, 5);", "a domain file uses setTimeout"],
  ["const id = crypto.randomUUID();", "a domain file uses crypto.randomUUID"],
  ["export async function load() {}", "a domain function is async"],
  ["export const load = async () => {};", "a domain function is async"],
])("a domain may not say: %s", (text, problem) => {
  expect(breachesOf("domain-without-effects", chat("domain/a.ts", text))).toEqual([
    `services/chat/src/domain/a.ts:1 ${problem}`,
  ]);
});

test.each([
  ["domain/a.ts", "const at = new Date(0); const day = Date.parse(text); const most = Math.max(1, 2);"],
  ["domain/a.ts", `import { openPace } from "@gatehouse/pace"; export async function count() {}`],
  ["domain/a.test.ts", "const at = Date.now();"],
  ["app/a.ts", "export const load = async () => Date.now();"],
])("%s may say: %s", (path, text) => {
  expect(breachesOf("domain-without-effects", chat(path, text))).toEqual([]);
});
