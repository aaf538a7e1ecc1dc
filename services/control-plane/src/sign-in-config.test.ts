import { ConfigError, EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { readSignInConfig } from "./config.ts";

const publicUrl = "https://gateway.example.com";
const provider = {
  id: "corp",
  issuer: "https://id.example.com",
  client_id: "gatehouse",
  client_secret: "s3cret-of-a-client",
  rules: [{ claim: "groups", has: "platform", role: "owner" }],
};

function read(providers: unknown, url: string | undefined = publicUrl) {
  const env = new EnvReader({
    PUBLIC_URL: url,
    SIGN_IN_PROVIDERS: typeof providers === "string" ? providers : JSON.stringify(providers),
  });
  const config = readSignInConfig(env);
  env.finish();
  return config;
}

test("a provider needs an issuer, a client and rules; the rest has defaults", () => {
  expect(read([provider]).providers).toMatchObject([
    {
      id: "corp",
      name: "corp",
      scopes: ["email", "profile"],
      nameClaim: "email",
      rules: [{ claim: "groups", has: "platform", role: "owner", projects: null }],
    },
  ]);
  expect(read([]).providers).toEqual([]);
});

const withRule = (rule: object) => [{ ...provider, rules: [{ ...provider.rules[0], ...rule }] }];

test.each([
  ["{", "SIGN_IN_PROVIDERS is not valid: it is not JSON."],
  [{}, "providers must be array"],
  [[{ ...provider, id: "a/b" }], "id must be a-z"],
  [[provider, provider], "names the provider corp twice"],
  [[{ ...provider, issuer: "http://id.example.com" }], "issuer: it must be an https URL"],
  [[{ ...provider, issuer: "https://id.example.com/?x=1" }], "issuer: it must be an https URL"],
  [[{ ...provider, rules: [] }], "rules must have from 1 to 200 items"],
  [[{ ...provider, colour: "red" }], "Unknown argument"],
  [withRule({ role: "admin" }), "role: admin"],
  [withRule({ claim: "" }), "claim must not be empty"],
  [withRule({ projects: ["support"] }), "'support' is not a uuid"],
  [withRule({ project: "x" }), "Did you mean 'projects'?"],
])("%j is refused at the start: %s", (providers, problem) => {
  const attempt = () => read(providers);
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(problem);
  expect(attempt).not.toThrow("s3cret");
});

test.each([undefined, "gateway.example.com", "https://gateway.example.com/path", "ftp://gateway.example.com"])(
  "the public URL %s, to which no browser could return, is refused",
  (url) => {
    expect(() => read([provider], url ?? "")).toThrow("PUBLIC_URL");
  },
);
