import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

interface DisclosureProps {
  readonly show: string;
  readonly hide: string;
  readonly children: ReactNode;
}

/** Rarely used content behind a button. Hidden content is not in the page, and so not focusable. */
export function Disclosure({ show, hide, children }: DisclosureProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <Stack gap="xs" align="stretch">
      <Button
        variant="subtle"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={<Icon name={isOpen ? "up" : "down"} size={12} />}
        mr="auto"
        px={4}
      >
        {isOpen ? hide : show}
      </Button>
      {isOpen && children}
    </Stack>
  );
}
