import { SegmentedControl, Stack } from "@mantine/core";
import { useState } from "react";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { callSnippets } from "./call-code.ts";
import type { ChatCall } from "./chat-body.ts";

/** The call as code, with the token in an environment variable. */
export function CallSnippets({ call }: { readonly call: ChatCall }) {
  const snippets = callSnippets(call, globalThis.location.origin);
  const [title, setTitle] = useState(snippets[0]?.title ?? "");
  const shown = snippets.find((snippet) => snippet.title === title) ?? snippets[0];
  if (shown === undefined) return null;
  return (
    <Disclosure show="Show as code" hide="Hide the code">
      <Stack gap="xs">
        <SegmentedControl
          size="xs"
          data={snippets.map((snippet) => snippet.title)}
          value={shown.title}
          onChange={setTitle}
          aria-label="Form of the code"
        />
        <CodeBlock text={shown.text} label={`The call as ${shown.title}`} />
      </Stack>
    </Disclosure>
  );
}
