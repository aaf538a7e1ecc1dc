import { Stack, Tabs, Text } from "@mantine/core";
import { CodeBlock } from "../../parts/code-block.tsx";
import { receiverSnippets } from "./receiver-snippets.ts";
import { SignatureCheck } from "./signature-check.tsx";

/** Instructions for receivers to verify deliveries, and a manual check. */
export function ReceiverGuide() {
  return (
    <Tabs defaultValue="Node" className="console-panel" p="sm">
      <Tabs.List mb="sm" aria-label="A receiver">
        {receiverSnippets.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value="check">Check a signature</Tabs.Tab>
      </Tabs.List>
      {receiverSnippets.map(({ title, text }) => (
        <Tabs.Panel key={title} value={title}>
          <Stack gap="xs">
            <Text size="sm">
              A receiver with the signing secret in WEBHOOK_SECRET. Any 2xx within ten seconds is success.
            </Text>
            <CodeBlock text={text} label={`Receiver, ${title}`} />
          </Stack>
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="check">
        <SignatureCheck />
      </Tabs.Panel>
    </Tabs>
  );
}
