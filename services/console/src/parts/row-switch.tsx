interface RowSwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch for table rows: one element instead of Mantine's six, since a scrolling list mounts hundreds. */
export function RowSwitch({ label, isOn, isDisabled, onChange }: RowSwitchProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      className="console-switch mantine-focus-auto"
      aria-label={label}
      checked={isOn}
      aria-checked={isOn}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
