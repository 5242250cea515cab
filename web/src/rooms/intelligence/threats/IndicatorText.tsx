import { Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useMemo, useState, type DragEvent, type ReactNode, type RefObject } from 'react';
import { glance, MOST_BYTES } from './indicators';

const EXAMPLE =
  '# one a line: value, name, date\n203.0.113.7, Scanner of May, 2026-05-03\n198.51.100.0/24\nuser_agent:sqlmap, injection tool';

interface Props {
  value: string;
  error?: ReactNode;
  area?: RefObject<HTMLTextAreaElement | null>;
  replaces?: boolean;
  /** Without it the text is only shown. */
  onRead?: (text: string, file?: string) => void;
  onRefuse?: (why: string) => void;
}

/** The text of a list: chosen, dropped or pasted. Its lines do not wrap, so that they can be counted. */
export function IndicatorText({ value, error, area, replaces, onRead, onRefuse }: Props) {
  const [over, setOver] = useState(false);
  const held = useMemo(() => glance(value), [value]);
  const take = (file: File | null | undefined) => {
    if (!file || !onRead) return;
    if (file.size > MOST_BYTES) onRefuse?.(`${file.name} is larger than 8 MiB`);
    else
      void file.text().then(
        (text) => onRead(text, file.name),
        () => onRefuse?.(`${file.name} cannot be read`),
      );
  };
  const text = (
    <Textarea
      ref={area}
      label="Indicators"
      rows={9}
      spellCheck={false}
      wrap="off"
      readOnly={!onRead}
      value={value}
      error={error}
      placeholder={EXAMPLE}
      description={held || 'Paste them here, or drop a file'}
      withAsterisk={Boolean(onRead)}
      data-autofocus
      styles={{
        input: {
          fontFamily: 'var(--mantine-font-family-monospace)',
          fontSize: 12,
          lineHeight: '18px',
          overflow: 'auto',
        },
      }}
      onChange={onRead && ((event) => onRead(event.currentTarget.value))}
    />
  );
  if (!onRead) return text;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      style={
        over
          ? {
              outline: '2px dashed var(--mantine-color-petrol-5)',
              outlineOffset: 6,
              borderRadius: 8,
            }
          : undefined
      }
    >
      <Group justify="space-between" align="center" gap="xs" mb={6}>
        <Text size="sm" className="muted" flex="1 1 220px">
          {replaces
            ? 'Replaces the whole list.'
            : 'Addresses, networks, or parts of a program’s name; a name and a date may follow.'}
        </Text>
        <FileButton accept=".txt,.csv,text/plain,text/csv" onChange={take}>
          {(props) => (
            <Button {...props} variant="light" size="xs" leftSection={<IconFileImport size={15} />}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
      {text}
    </div>
  );
}
