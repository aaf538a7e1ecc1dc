import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ConfigError, EnvReader } from "@gatehouse/config";
import { readBodyConfig } from "@gatehouse/service";
import { createTestTrust } from "@gatehouse/trust/testing";
import { describe, expect, it } from "vitest";
import { loadConfig, readRouterConfig } from "./config.ts";

const key = createTestTrust().env("router");

describe("the configuration", () => {
  it("requires only the service key", () => {
    const { router, chatUrl, controlPlaneRpcAddress } = loadConfig(key);
    expect(router.port).toBe(8080);
    expect(router.requests.bodySizeBytesMax).toBe(4 * 1024 * 1024);
    expect(router.authentication).toMatchObject({ freshMs: 5_000, staleMs: 300_000 });
    expect({ chatUrl, controlPlaneRpcAddress }).toEqual({
      chatUrl: "http://127.0.0.1:8082",
      controlPlaneRpcAddress: "127.0.0.1:9081",
    });
  });

  it("cannot raise the bound of five seconds on revocation", () => {
    expect(loadConfig({ ...key, AUTH_FRESH_MAX_MS: "1000" }).router.authentication.freshMs).toBe(1_000);
    expect(() => loadConfig({ ...key, AUTH_FRESH_MAX_MS: "5001" })).toThrow("AUTH_FRESH_MAX_MS must be a whole number");
  });

  it("refuses settings that contradict each other, with both names", () => {
    const read = (given: Record<string, string>) => loadConfig({ ...key, ...given }).router;
    expect(() => read({ TOKEN_SHARE_PERCENT: "30" })).toThrow(
      "TOKEN_SHARE_PERCENT must be at most PROJECT_SHARE_PERCENT",
    );
    const { shares } = read({ PROJECT_SHARE_PERCENT: "10" }).requests;
    expect(shares.token).toEqual(shares.project);
    const stale = (given: string) => read({ AUTH_FRESH_MAX_MS: "4000", AUTH_STALE_MAX_MS: given }).authentication;
    expect([stale("0").staleMs, stale("4000").staleMs]).toEqual([0, 4_000]);
    expect(() => stale("3999")).toThrow("AUTH_STALE_MAX_MS must be 0 or at least AUTH_FRESH_MAX_MS");
  });

  it("refuses a folder without the console, and starts without a built one where none is named", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-console-"));
    const load = () => loadConfig({ ...key, CONSOLE_FOLDER: folder });
    expect(load).toThrow("CONSOLE_FOLDER must be the folder of the built console, which has an index.html");
    writeFileSync(join(folder, "index.html"), "");
    expect(load().consoleFolder).toBe(folder);
    rmSync(folder, { recursive: true });
    expect(loadConfig({ ...key, CONSOLE_FOLDER: undefined }).consoleFolder).toBe("services/console/dist/app");
  });

  it.each(["CONTROL_PLANE_URL", "CHAT_URL", "API_PROXY_URL", "MCP_BRIDGE_URL", "MCP_AGGREGATOR_URL"])(
    "refuses https:// in %s without certificates, which every call would lack",
    (name) => {
      expect(() => loadConfig({ ...key, [name]: "https://127.0.0.1:1" })).toThrow(
        `${name} begins with https://, which needs certificates: set GATEHOUSE_TLS_CERTIFICATE_FILE`,
      );
      expect(() => loadConfig({ ...key, [name]: "http://127.0.0.1:1" })).not.toThrow();
    },
  );

  it("uses a socket unit's port, except one meant for another process", () => {
    const own = String(process.pid);
    const sharedPort = { socket: { fd: 3 } };
    expect(loadConfig({ ...key, LISTEN_FDS: "1" })).toMatchObject({ sharedPort });
    expect(loadConfig({ ...key, LISTEN_FDS: "1", LISTEN_PID: own })).toMatchObject({ sharedPort });
    for (const env of [{}, { LISTEN_FDS: "0" }, { LISTEN_FDS: "1", LISTEN_PID: "1" }])
      expect(loadConfig({ ...key, ...env }).sharedPort).toBeUndefined();
    expect(() => loadConfig({ ...key, LISTEN_FDS: "2" })).toThrow("LISTEN_FDS must be 1");
  });

  it("accepts origins in the form that browsers send", () => {
    const given = { ...key, ALLOWED_ORIGINS: " https://Chat.example.com:443, http://10.0.0.5:3000 ," };
    expect(loadConfig(given).router.allowedOrigins).toEqual(["https://chat.example.com", "http://10.0.0.5:3000"]);
    expect(loadConfig(key).router.allowedOrigins).toEqual([]);
    for (const wrong of ["*", "chat.example.com", "https://chat.example.com/mcp"]) {
      expect(() => loadConfig({ ...key, ALLOWED_ORIGINS: wrong })).toThrow("ALLOWED_ORIGINS must be origins");
    }
  });

  it("reports all problems together, by name and never by value", () => {
    const broken = { PORT: "hunter2", CHAT_URL: "ftp://hunter2", BODY_SIZE_BYTES_MAX: "-1" };
    let problems: readonly string[] = [];
    try {
      loadConfig(broken);
    } catch (err) {
      problems = err instanceof ConfigError ? err.problems : [];
    }
    const text = problems.join("\n");
    for (const name of ["GATEHOUSE_SERVICE_KEY", "PORT", "CHAT_URL", "BODY_SIZE_BYTES_MAX"])
      expect(text).toContain(name);
    expect(text).not.toContain("hunter2");
  });
});

it("refuses one port for clients and for operations, where their addresses overlap", () => {
  const read = (given: Record<string, string>) => {
    const env = new EnvReader({ PORT: "8080", OPS_PORT: "8080", ...given });
    readRouterConfig(env);
    return () => env.finish();
  };
  for (const shared of [{}, { HOST: "127.0.0.1" }, { HOST: "127.0.0.1", OPS_HOST: "127.0.0.1" }, { OPS_HOST: "::" }])
    expect(read(shared)).toThrow("OPS_PORT must differ from PORT");
  for (const apart of [{ PORT: "0", OPS_PORT: "0" }, { HOST: "10.0.0.5", OPS_HOST: "127.0.0.1" }, { PORT: "8081" }])
    expect(read(apart)).not.toThrow();
});

it("reads the bounds that it shares with services in their range", () => {
  const env = new EnvReader({ BODY_SIZE_BYTES_MAX: "-1" });
  readRouterConfig(env);
  readBodyConfig(env);
  expect(() => env.finish()).toThrow("has 1 problem(s)");
});

describe("trusted proxies", () => {
  it("fail the start if they are not networks, and each is named once", () => {
    const env = new EnvReader({ TRUSTED_PROXIES: "10.0.0.0/8,10.0.0.0/40,proxy.internal,proxy.internal" });
    readRouterConfig(env);
    expect(() => env.finish()).toThrow(/these are not: '10\.0\.0\.0\/40', 'proxy\.internal'\.$/);
  });
});
