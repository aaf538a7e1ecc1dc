import { Button, Menu, Text, TextInput } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useProject, useProjects } from "../api/reads.ts";
import { matches } from "../parts/find-field.tsx";
import { Icon } from "../parts/icon.tsx";
import { visibleName } from "../parts/visible-name.ts";

/** Further projects are found by typing. */
const shownMax = 10;

/** Shows the open project, and switches to another. */
export function ProjectSwitcher() {
  const { project } = useParams({ strict: false });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Menu opened={isOpen} onChange={setIsOpen} width={280} position="bottom-start">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="project" size={14} />} visibleFrom="sm" maw={220}>
          {project === undefined ? "Projects" : <ProjectName project={project} />}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{isOpen && <Choices />}</Menu.Dropdown>
    </Menu>
  );
}

function ProjectName({ project }: { readonly project: string }) {
  const { data } = useProject(project);
  return (
    <Text span inherit truncate>
      {visibleName(data?.name ?? "Project")}
    </Text>
  );
}

/** Read when the list is opened, since a gateway may have thousands of projects. */
function Choices() {
  const [sought, setSought] = useState("");
  const { data } = useProjects();
  const found = (data?.projects ?? []).filter(({ name }) => matches(sought.trim(), name));
  return (
    <>
      <TextInput
        aria-label="Find a project"
        placeholder="Find a project"
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
        // Keeps letters from the menu's own search.
        onKeyDown={(event) => event.key.length === 1 && event.stopPropagation()}
        data-autofocus
        m={4}
      />
      {found.slice(0, shownMax).map(({ uuid, name }) => (
        <Menu.Item
          key={uuid}
          renderRoot={(props) => <Link to="/projects/$project" params={{ project: uuid }} {...props} />}
        >
          <Text inherit truncate>
            {visibleName(name)}
          </Text>
        </Menu.Item>
      ))}
      {found.length > shownMax && <Menu.Label>{found.length - shownMax} more: type a part of the name</Menu.Label>}
      <Menu.Divider />
      <Menu.Item renderRoot={(props) => <Link to="/projects" {...props} />}>All projects</Menu.Item>
    </>
  );
}
