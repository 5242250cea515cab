import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { GO_TO } from './commands';

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const GENERAL: [string[], string][] = [
  [[COMMAND, 'K'], 'Open the command palette: pages, resources and recommendations'],
  [['/'], 'Go to the first filter or search field of the page'],
  [['?'], 'Show this list'],
  [['Esc'], 'Close a dialog or menu in which nothing was typed'],
];

const CHARTS: [string[], string][] = [
  [['←', '→'], 'Read the value before or after'],
  [['Page Up', 'Page Down'], 'Read the value a tenth before or after'],
  [['Home', 'End'], 'Go to the first or last value'],
  [['+', '-'], 'Zoom in or out'],
];

/** The keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack gap="md">
        <Keys title="Everywhere" of={GENERAL} />
        <Keys
          title="Go to a page"
          of={Object.entries(GO_TO).map(([key, { label }]) => [['g', key], label])}
        />
        <Keys title="In a chart that has the focus" of={CHARTS} />
        <Text size="xs" className="muted">
          Shortcuts of one or two letters work while no field has the focus.
        </Text>
      </Stack>
    </Modal>
  );
}

function Keys({ title, of: keys }: { title: string; of: [string[], string][] }) {
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
        {keys.map(([parts, meaning]) => (
          <Group component="li" key={meaning} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm">{meaning}</Text>
            <Group gap={4} wrap="nowrap">
              {parts.map((part) => (
                <Kbd key={part}>{part}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </section>
  );
}
