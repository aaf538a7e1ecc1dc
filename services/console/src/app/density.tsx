import { Menu } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useEffect } from "react";

type Density = "normal" | "compact";

/** Stored in the browser. */
const stored = { key: "console-density", defaultValue: "normal" as Density, getInitialValueInEffect: false };

/** Switches to lower table rows. */
export function DensityItem() {
  const [density, setDensity] = useLocalStorage<Density>(stored);
  const isNormal = density === "normal";
  return (
    <Menu.Item onClick={() => setDensity(isNormal ? "compact" : "normal")}>
      {isNormal ? "Compact rows" : "Comfortable rows"}
    </Menu.Item>
  );
}

/** Passes the density to the style sheet. */
export function useDensity(): void {
  const [density] = useLocalStorage<Density>(stored);
  useEffect(() => {
    document.documentElement.dataset["density"] = density;
  }, [density]);
}
