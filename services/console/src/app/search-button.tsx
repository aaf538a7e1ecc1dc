import { ActionIcon, Button, Kbd, Modal } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { useOperations } from "../api/use-control-plane.ts";
import { Icon } from "../parts/icon.tsx";
import { lazyPart } from "../parts/lazy-part.tsx";
import { navigation } from "./navigation.ts";
import { WithOperations } from "./with-operations.tsx";

const SearchDialog = lazyPart(
  async () => await import("../pages/search/search-dialog.tsx"),
  (module) => module.SearchDialog,
  SearchFailure,
);

/** Opens the search, as does Ctrl-K, also in a field. Loaded when first opened. */
export function SearchButton() {
  const [asked, setAsked] = useState(0);
  const ask = () => setAsked((before) => before + 1);
  useHotkeys([["mod+K", ask]], []);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="search" size={14} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={ask}
        visibleFrom="sm"
      >
        Search
      </Button>
      <ActionIcon aria-label="Search" onClick={ask} hiddenFrom="sm">
        <Icon name="search" />
      </ActionIcon>
      {asked > 0 && (
        <WithOperations>
          <Search asked={asked} />
        </WithOperations>
      )}
    </>
  );
}

function SearchFailure({ asked, children }: { readonly asked: number; readonly children: ReactNode }) {
  const [closed, setClosed] = useState(0);
  return (
    <Modal opened={asked > closed} onClose={() => setClosed(asked)} title="Search">
      {children}
    </Modal>
  );
}

function Search({ asked }: { readonly asked: number }) {
  const operations = useOperations();
  const pages = navigation
    .filter(({ needs }) => operations.has(needs))
    .map(({ to, label }) => ({ group: "Pages", label, description: "", href: to }));
  return <SearchDialog pages={pages} asked={asked} />;
}
