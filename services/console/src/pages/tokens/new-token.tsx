import { Stack, Tabs, Text } from "@mantine/core";
import { useEndpoints } from "../../api/reads.ts";
import type { Project, Token } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { firstEndpointOf, hasMcpTool, snippetsFor } from "../../parts/snippets.ts";

/** A token with its plaintext, which is returned only once. */
export type ShownToken = Token & { readonly token: string };

interface NewTokenProps {
  readonly token: ShownToken;
  readonly project: Project;
  readonly onDone: () => void;
}

/** A new token's plaintext, and example calls with it. */
export function NewToken({ token: made, project, onDone }: NewTokenProps) {
  const { name, token, scopes } = made;
  const { data } = useEndpoints(project.uuid);
  const endpoint = firstEndpointOf(data?.endpoints ?? [], made.endpoints);
  const hasTool = data === undefined || hasMcpTool(data.endpoints, made.endpoints);
  const snippets = snippetsFor(project, token, { endpoint, scopes, hasMcpTool: hasTool });
  return (
    <Stack gap="sm">
      <SecretBox label={`Token ${name}`} secret={token} onDone={onDone} />
      <Tabs defaultValue={tabOf(snippets[0]?.title)} className="console-panel" p="sm">
        <Tabs.List mb="sm">
          {snippets.map(({ title }) => (
            <Tabs.Tab key={title} value={tabOf(title)}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ title, text, note }) => (
          <Tabs.Panel key={title} value={tabOf(title)}>
            {note !== undefined && (
              <Text size="sm" mb="xs">
                {note}
              </Text>
            )}
            {text !== "" && <CodeBlock text={text} label={title} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

/** Used in ids, which lists of ids separate by spaces. */
function tabOf(title = ""): string {
  return title.replaceAll(/\W+/g, "-");
}
