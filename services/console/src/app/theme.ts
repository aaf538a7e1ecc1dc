import { createTheme, type MantineColorsTuple } from "@mantine/core";
import { findOptions } from "../parts/find-options.ts";
import { closeButton } from "../parts/side-panel.tsx";

const slate: MantineColorsTuple = [
  "#eef5fa",
  "#dce9f2",
  "#b5d1e4",
  "#8bb8d6",
  "#67a2ca",
  "#4e94c2",
  "#2f74a3",
  "#1f5f8b",
  "#174d73",
  "#0d3c5c",
];

/** Longest animation, milliseconds. */
export const motionMs = 120;

/** Dense design: one accent, system fonts, small radius. Status colours are used for status alone. */
export const theme = createTheme({
  colors: { slate },
  primaryColor: "slate",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: { fontWeight: "600", sizes: { h1: { fontSize: "1.25rem" }, h2: { fontSize: "1rem" } } },
  defaultRadius: "sm",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "xs" } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    TextInput: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "xs" } },
    NumberInput: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    JsonInput: { defaultProps: { size: "xs" } },
    // Search in all fields with options, since a gateway may have thousands of items.
    Select: { defaultProps: { size: "xs", filter: findOptions } },
    NativeSelect: { defaultProps: { size: "xs" } },
    Autocomplete: { defaultProps: { size: "xs", filter: findOptions } },
    MultiSelect: { defaultProps: { size: "xs", filter: findOptions } },
    TagsInput: { defaultProps: { size: "xs", filter: findOptions } },
    Switch: { defaultProps: { size: "sm" } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 500 } },
    Burger: { defaultProps: { transitionDuration: motionMs } },
    // Without animation: a click into unfolding content would miss its button.
    Collapse: { defaultProps: { transitionDuration: 0 } },
    Drawer: {
      defaultProps: {
        transitionProps: { duration: motionMs },
        position: "right",
        size: "lg",
        closeButtonProps: closeButton,
      },
    },
    Modal: {
      defaultProps: {
        transitionProps: { duration: motionMs },
        centered: true,
        closeButtonProps: closeButton,
      },
    },
    // Avoids a second banner landmark in each dialog.
    DrawerHeader: { defaultProps: { component: "div" } },
    ModalHeader: { defaultProps: { component: "div" } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
  },
});
