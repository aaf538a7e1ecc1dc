import { expect, test } from "vitest";
import { formatDocument, parseDocumentText } from "./document-file.ts";

test("YAML and JSON give the same document", () => {
  const document = { version: 1, projects: [{ name: "a" }] };
  expect(parseDocumentText(JSON.stringify(document), {})).toEqual(document);
  expect(parseDocumentText("version: 1\nprojects:\n  - name: a\n", {})).toEqual(document);
});

test("anchors, aliases and merge keys of YAML are read", () => {
  const text = "version: 1\nprojects:\n  - &first { name: a, is_active: true }\n  - { <<: *first, name: b }\n";
  const projects = [
    { name: "a", is_active: true },
    { name: "b", is_active: true },
  ];
  expect(parseDocumentText(text, {})).toEqual({ version: 1, projects });
  expect(parseDocumentText(JSON.stringify({ "<<": { name: "a" } }), {})).toEqual({ "<<": { name: "a" } });
});

test("a secret that is only a reference is replaced from the environment, and no other secret", () => {
  expect(fillToken("${KEY}")).toBe("sk-1");
  for (const text of ["Hello ${KEY}", "$${KEY}", "${5}"]) expect(fillToken(text)).toBe(text);
});

test("a reference to a variable that is not set is kept for the plan to report", () => {
  expect(fillToken("${MISSING}")).toBe("${MISSING}");
});

test("a variable whose value looks like a reference stays that value", () => {
  expect(fillToken("${LITERAL}")).toBe("$${KEY}");
});

test("references are filled in at every secret, and nowhere else", () => {
  const secret = "${KEY}";
  const policy = { external: [{ name: secret, secret }], keywords: [secret] };
  const document = {
    version: 1,
    providers: [{ name: secret, base_url: secret, credentials: [{ name: secret, api_key: secret }] }],
    projects: [
      {
        name: secret,
        guardrails: policy,
        oauth_connections: [{ name: secret, client_secret: secret, refresh_token: secret, client_id: secret }],
        endpoints: [
          { slug: secret, guardrails: policy, auth: { type: "basic", username: secret, password: secret } },
          { slug: "b", auth: { type: "header", name: secret, value: secret } },
          {
            slug: "c",
            description: secret,
            system_prompt: secret,
            parameters: { api_key: secret, auth: { value: secret } },
          },
        ],
        upstreams: [{ prefix: secret, url: secret, bearer_token: secret }],
        tokens: [{ name: secret, api_key: secret }],
        webhooks: [{ name: secret, url: secret }],
        issuers: [{ issuer: secret, revoked_subjects: [secret] }],
      },
    ],
  };
  const places: string[] = [];
  const text = JSON.stringify(parseDocumentText(JSON.stringify(document), { KEY: "sk-1" }), (name, value: unknown) => {
    if (value === "sk-1") places.push(name);
    return value;
  });
  expect(places).toEqual([
    "api_key",
    "secret",
    "client_secret",
    "refresh_token",
    "secret",
    "password",
    "value",
    "bearer_token",
  ]);
  expect(text.replaceAll("sk-1", secret)).toBe(JSON.stringify(document));
});

/** The bearer token of a document's only upstream, after it was read. */
function fillToken(token: string): unknown {
  const upstreams = [{ prefix: "u", bearer_token: token }];
  const text = JSON.stringify({ version: 1, projects: [{ name: "a", upstreams }] });
  const { projects } = parseDocumentText(text, { KEY: "sk-1", LITERAL: "${KEY}" });
  const [project] = projects as [{ readonly upstreams: [{ readonly bearer_token: unknown }] }];
  return project.upstreams[0].bearer_token;
}

test.each([
  ["a list", "- a", "must be a mapping"],
  ["invalid YAML", "a: [", "not valid YAML"],
  ["a tag that YAML does not know", "a: !!strange 1", "not valid YAML"],
  ["a file of several documents", "version: 1\n---\nversion: 1\n", "has several documents"],
  ["deep nesting", "[".repeat(100_000), "not valid YAML"],
  [
    "aliases that multiply",
    `a: &a [1]\nb: &b [${"*a,".repeat(99)}]\nc: &c [${"*b,".repeat(99)}]\nd: [${"*c,".repeat(99)}]`,
    "not valid YAML",
  ],
])("%s is refused", (_what, text, message) => {
  expect(() => parseDocumentText(text, {})).toThrow(message);
});

test("an error names its line", () => {
  expect(() => parseDocumentText("a: 1\nb: [\n", {})).toThrow(/at line 3, column 1$/);
  expect(() => parseDocumentText("a: 1\n---\nb: 1\n", {})).toThrow(/at line 2, column 1$/);
});

test.each([".nan", ".inf", "-.Inf", "1e999", "9007199254740993"])(
  "a number that is none or would be rounded is refused instead of sent as null or another one: %s",
  (number) => {
    const text = `version: 1\nprojects:\n  - name: a\n    rate_limit_per_minute: ${number}\n`;
    expect(() => parseDocumentText(text, {})).toThrow(`${number} is no number that can be sent as it is at line 4`);
  },
);

test("large numbers that are exact, and texts of digits, stay", () => {
  const text = 'a: 9007199254740991\nb: "9007199254740993"\nc: 1e21\nd: 0.1\n';
  expect(parseDocumentText(text, {})).toEqual({ a: 9007199254740991, b: "9007199254740993", c: 1e21, d: 0.1 });
});

test.each(["off", "no", "y", "12:30:45", "1_000", "2026-01-01", "<<"])(
  "the text %s is quoted, since programs with YAML 1.1 would change it",
  (text) => {
    const written = formatDocument({ mode: text });
    expect(written).toBe(`mode: "${text}"\n`);
    expect(parseDocumentText(written, {})).toEqual({ mode: text });
  },
);
