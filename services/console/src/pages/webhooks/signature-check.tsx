import { Button, Group, PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toHex } from "../../api/hex.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Status } from "../../parts/status.tsx";

interface SignatureCheckProps {
  /** Initial body. */
  readonly body?: string;
}

/** Verifies a signature of a body with a secret, in the browser alone. */
export function SignatureCheck({ body = "" }: SignatureCheckProps) {
  const [text, setText] = useState(body);
  const [secret, setSecret] = useState("");
  const [given, setGiven] = useState("");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      const expected = await signBody(text, secret.trim());
      return { expected, fits: expected === given.trim() };
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm">The secret and the body stay on this page.</Text>
      <PasswordInput
        label="Signing secret"
        placeholder="whsec_…"
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        autoComplete="off"
      />
      <TextInput
        label="X-Service-Signature that the receiver got"
        placeholder="sha256=…"
        value={given}
        onChange={(event) => setGiven(event.currentTarget.value)}
      />
      <Textarea
        label="Body, exactly as it came"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        spellCheck={false}
        autosize
        minRows={3}
        maxRows={10}
      />
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        {data !== undefined && (
          <Status kind={data.fits ? "good" : "bad"}>
            {data.fits ? "The signature is valid" : `It would be ${data.expected}`}
          </Status>
        )}
        <Button
          variant="default"
          loading={isPending}
          disabled={secret === "" || given === "" || text === ""}
          onClick={() => mutate()}
        >
          Check
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Value of `X-Service-Signature` for a body (docs/webhooks.md).
 * @throws Error where the browser offers no cryptography, as on a page without TLS from another machine
 */
async function signBody(body: string, secret: string): Promise<string> {
  if (!globalThis.isSecureContext) {
    throw new Error("The browser computes signatures only on pages loaded over HTTPS. Use the shell line instead.");
  }
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, key, encoder.encode(body)));
  return `sha256=${toHex(bytes)}`;
}
