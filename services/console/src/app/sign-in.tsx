import { Alert, Box, Button, Code, Divider, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { readPageFacts } from "../api/page-facts.ts";
import { expectSession, type Session, sessionQuery, signIn } from "../api/session.ts";
import {
  forgetSignInRefusal,
  leaveForProvider,
  signInProvidersQuery,
  signInRefusal,
  signInUrl,
} from "../api/sign-in-providers.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { Logo } from "../parts/icon.tsx";
import { focusHeading } from "./focus-heading.ts";

/** Sign-in of visitors. */
export function SignInPage() {
  const cache = useQueryClient();
  const { serviceName } = readPageFacts();
  // Otherwise the focus is lost with the form.
  useEffect(() => focusHeading, []);
  return (
    <Box component="main" maw={380} mx="auto" px="md" pt="12vh">
      <Stack gap="lg">
        <Stack gap={4} align="center">
          <Logo size={36} />
          <Title order={1}>{serviceName}</Title>
          <Text c="dimmed" size="sm">
            Console
          </Text>
        </Stack>
        <Paper className="console-panel" p="lg">
          <Stack>
            <ProviderLinks onClick={leaveForProvider} />
            <SignInForm
              onSignedIn={(session) => cache.setQueryData(sessionQuery.queryKey, session)}
              hint="Sign in with any admin key; its role decides what you can do."
            />
          </Stack>
        </Paper>
        <Text c="dimmed" size="xs" ta="center">
          The first key was shown when the gateway was first started, or is the one set as{" "}
          <Code>GATEHOUSE_ADMIN_KEY</Code>.
        </Text>
      </Stack>
    </Box>
  );
}

/** Sign-in on top of a page that stays; providers open in another tab, which notifies this one. */
export function SignInAgain({ hint, onSignedIn }: SignInFormProps) {
  return (
    <Stack>
      <ProviderLinks target="_blank" onClick={expectSession} />
      <SignInForm onSignedIn={onSignedIn} hint={hint} />
    </Stack>
  );
}

interface ProviderLinksProps {
  /** Absent: this tab. */
  readonly target?: "_blank";
  readonly onClick: () => void;
}

/** Links to the organisation's identity providers; nothing where there are none, or they cannot be read. */
function ProviderLinks({ target, onClick }: ProviderLinksProps) {
  const { data: providers = [] } = useQuery(signInProvidersQuery);
  const refusal = signInRefusal();
  return (
    <>
      {refusal !== undefined && (
        <Alert color="red" role="alert">
          {refusal}
        </Alert>
      )}
      {providers.map((provider) => (
        <Button
          key={provider.id}
          component="a"
          href={signInUrl(provider)}
          onClick={onClick}
          target={target}
          variant="default"
          size="sm"
        >
          Sign in with {provider.name}
          {target !== undefined && ", in a new tab"}
        </Button>
      ))}
      {providers.length > 0 && <Divider label="or with an admin key" />}
    </>
  );
}

interface SignInFormProps {
  readonly onSignedIn: (session: Session) => void;
  readonly hint: string;
}

/** Exchanges an admin key for a session, without storing the key. */
function SignInForm({ onSignedIn, hint }: SignInFormProps) {
  const [key, setKey] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      setKey("");
      forgetSignInRefusal();
      onSignedIn(session);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(key.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Admin key"
          placeholder="svc_admin_…"
          description={hint}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="current-password"
          size="sm"
          required
          data-autofocus
        />
        <ErrorAlert error={error} />
        <Button type="submit" size="sm" loading={isPending} disabled={key.trim() === ""}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
