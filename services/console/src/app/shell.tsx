import { ActionIcon, AppShell, Burger, Group, Text, Tooltip, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet } from "@tanstack/react-router";
import { readPageFacts } from "../api/page-facts.ts";
import type { Session } from "../api/session.ts";
import { useMay } from "../api/use-control-plane.ts";
import { Icon, Logo } from "../parts/icon.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { useDensity } from "./density.tsx";
import { navigation, type NavigationItem } from "./navigation.ts";
import { PersonMenu } from "./person-menu.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import { SearchButton } from "./search-button.tsx";
import { StatusSign } from "./status-sign.tsx";
import { WithOperations } from "./with-operations.tsx";

interface ShellProps {
  readonly session: Session;
  /** True while periodic reads are stopped for lack of input. */
  readonly isResting: boolean;
  readonly onLeave: () => void;
}

/** Frame around every page. */
export function Shell({ session, isResting, onLeave }: ShellProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  useDensity();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
      transitionDuration={0}
    >
      <a className="console-skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Logo />
            <Text fw={600} truncate>
              {readPageFacts().serviceName}
            </Text>
            <WithOperations>
              <ProjectSwitcher />
            </WithOperations>
          </Group>
          <Group gap="xs" wrap="nowrap">
            {isResting && (
              <Text size="sm" component="output">
                Updates paused
              </Text>
            )}
            <WithOperations>
              <StatusSign />
            </WithOperations>
            <SearchButton />
            <SchemeButton />
            <PersonMenu session={session} onLeave={onLeave} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" onClick={close} aria-label="Main">
        <WithOperations>
          {navigation.map((item) => (
            <NavigationLink key={item.to} {...item} />
          ))}
        </WithOperations>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <WithOperations fallback={<Waiting />}>
          <div className="console-page">
            <Outlet />
          </div>
        </WithOperations>
      </AppShell.Main>
    </AppShell>
  );
}

function NavigationLink({ to, label, icon, needs }: NavigationItem) {
  if (!useMay(needs)) return null;
  return (
    <Link to={to} className="console-nav-link" activeOptions={{ exact: to === "/", includeSearch: false }}>
      <Icon name={icon} />
      {label}
    </Link>
  );
}

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  const label = `Colours: ${colorScheme === "auto" ? "as the system" : colorScheme}. Change to ${next[colorScheme]}.`;
  const icon = { auto: "contrast", light: "sun", dark: "moon" } as const;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setColorScheme(next[colorScheme])}>
        <Icon name={icon[colorScheme]} />
      </ActionIcon>
    </Tooltip>
  );
}
