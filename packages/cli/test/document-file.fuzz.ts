import { CliError } from "../src/cli-error.ts";
import { parseDocumentText } from "../src/document-file.ts";

const document = `version: 1
providers:
  - &p { name: openai, kind: openai }
projects:
  - name: Support
    project_type: ai_gateway
    endpoints:
      - slug: answers
        system_prompt: |
          Be brief.
        targets: [{ provider: openai, model: m }]
`;

export const fuzzTargets = [
  {
    name: "apply-document",
    seeds: [document, '{"version": 1, "projects": []}', "version: 1\nproviders: [*p, !!str 1, ? a : b]\n"],
    words: ["&a ", "*a", "<<: ", "!!", "- ", ": ", "|\n", ">-\n", "? ", "---\n", "${NAME}", "%YAML 1.2\n", "\t"],
    run: (bytes: Buffer) => parseDocumentText(bytes.toString(), { NAME: "value" }),
    isDeclared: (err: unknown) => err instanceof CliError,
  },
];
