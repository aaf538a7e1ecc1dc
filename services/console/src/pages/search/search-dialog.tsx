import "@mantine/spotlight/styles.css";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { matches } from "../../parts/find-field.tsx";
import { type SearchEntry, useSearchEntries } from "./search-entries.ts";

const [store, { open, close }] = createSpotlight();
/** Label of the dialog, which has no title. */
const dialogName = { content: { "aria-label": "Search" } };
/** An animated box would stay over the page that was chosen, with all entries once its query is cleared. */
const atOnce = { duration: 0 };
const shownMax = 40;
const requestIdPattern = /^req-\S+$/;

interface SearchDialogProps {
  /** Top-level pages. */
  readonly pages: readonly SearchEntry[];
  /** Increases each time the search is opened. */
  readonly asked: number;
}

/** Finds pages and items by parts of their names; a request id opens its request. */
export function SearchDialog({ pages, asked }: SearchDialogProps) {
  const [query, setQuery] = useState("");
  const router = useRouter();
  const entries = useSearchEntries();
  useEffect(open, [asked]);
  // Closes on navigation, such as Back.
  useEffect(() => router.subscribe("onBeforeLoad", ({ pathChanged }) => void (pathChanged && close())), [router]);
  const found = find([...pages, ...entries], query.trim());
  const groups = [...new Set(found.map(({ group }) => group))];
  const go = (href: string) => {
    close();
    router.history.push(`/console${href}`);
  };
  return (
    <Spotlight.Root
      attributes={dialogName}
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      // At its offset from the top, since a centred box moves with the number of results.
      centered={false}
      transitionProps={atOnce}
      clearQueryOnClose
      scrollable
    >
      <Spotlight.Search placeholder="A project, endpoint, token, webhook, request id …" aria-label="Search for" />
      <Spotlight.ActionsList>
        {found.length === 0 && <Spotlight.Empty>No matches.</Spotlight.Empty>}
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {found
              .filter((entry) => entry.group === group)
              .map(({ label, description, href }) => (
                <Spotlight.Action
                  key={`${href} ${label}`}
                  label={label}
                  description={description}
                  onClick={() => go(href)}
                />
              ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** In groups; names that start with the searched text come first. */
function find(entries: readonly SearchEntry[], sought: string): readonly SearchEntry[] {
  if (requestIdPattern.test(sought)) {
    const href = `/requests?request_id=${encodeURIComponent(sought)}`;
    return [{ group: "Requests", label: sought, description: "The request of this id", href }];
  }
  const begins = ({ label }: SearchEntry) => (label.toLowerCase().startsWith(sought.toLowerCase()) ? 0 : 1);
  return entries
    .filter(({ label, description }) => matches(sought, `${label} ${description}`))
    .toSorted((left, right) => begins(left) - begins(right))
    .slice(0, shownMax);
}
