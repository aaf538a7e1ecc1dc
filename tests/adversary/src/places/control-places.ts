import { type Payload, type Place, requestBytesMax } from "./place.ts";
import { sendOnce } from "./send.ts";
import type { Site } from "./site.ts";

function operation(name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
}

function controlPlace(
  name: string,
  families: Place["families"],
  body: (payload: Payload, site: Site) => string,
): Place {
  return {
    name: `control plane: ${name}`,
    families,
    bytesMax: requestBytesMax,
    arm: async (site, payload) => {
      const bytes = Buffer.from(body(payload, site));
      return async () => await sendOnce(site, { path: "/control/mcp", token: site.adminKey, body: bytes });
    },
  };
}

let counter = 0;

/** A new slug for an endpoint. */
function nextSlug(): string {
  counter += 1;
  return `hostile-${counter}`;
}

export const controlPlaces: readonly Place[] = [
  controlPlace("body", ["rpc", "value"], ({ text }) => text),
  controlPlace("text of an argument", ["text"], ({ literal }) =>
    operation("svc_create_project", `{"name":${literal},"project_type":"ai_gateway"}`),
  ),
  controlPlace("unknown argument", ["value"], ({ literal }) =>
    operation("svc_list_projects", `{"unknown":${literal}}`),
  ),
  controlPlace(
    "name of an operation",
    ["text"],
    ({ literal }) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${literal}}}`,
  ),
  controlPlace("text for guardrails", ["text"], ({ literal }, site) =>
    operation("svc_test_guardrails", `{"project":"${site.chat.project}","text":${literal}}`),
  ),
  controlPlace("keywords", ["value"], ({ literal }, site) =>
    operation("svc_set_guardrails", `{"project":"${site.api.project}","surfaces":["api"],"keywords":${literal}}`),
  ),
  controlPlace("schema of an endpoint", ["schema", "value"], ({ literal }, site) => {
    const target = '[{"provider":"none","model":"m"}]';
    return operation(
      "svc_create_endpoint",
      `{"project":"${site.chat.project}","slug":"${nextSlug()}","targets":${target},"input_schema":${literal}}`,
    );
  }),
  controlPlace("configuration document", ["document", "value"], ({ literal }) =>
    operation("svc_apply_config", `{"dry_run":true,"document":${literal}}`),
  ),
];
