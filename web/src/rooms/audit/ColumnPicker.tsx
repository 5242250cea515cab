import { Button, Popover, Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { cloneElement } from 'react';
import { useOpenedAtOnce, type OpenedProps } from '../../display/lazy';
import { MOST_COLUMNS, USUAL_COLUMNS } from './column-choice';
import { fieldsQuery } from './queries';

/** The columns of the entries: fields of the query language, in the order in which they are chosen. */
export function ColumnPicker({
  target,
  columns,
  onChange,
}: OpenedProps & { columns: string[]; onChange: (columns: string[]) => void }) {
  const { opened, setOpened, button } = useOpenedAtOnce();
  const fields = useQuery(fieldsQuery).data?.items ?? [];
  return (
    <Popover
      position="bottom-end"
      width={360}
      withinPortal
      shadow="md"
      trapFocus
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        {cloneElement(target, { ref: button, onClick: () => setOpened(!opened) })}
      </Popover.Target>
      <Popover.Dropdown maw="94vw">
        <Stack gap="xs">
          <TagsInput
            label="Columns"
            description="Fields in their order; members as metadata.team"
            data={fields.map(({ name }) => name)}
            maxTags={MOST_COLUMNS}
            limit={12}
            comboboxProps={{ withinPortal: false }}
            value={columns}
            onChange={onChange}
          />
          <Text size="xs" className="muted">
            Kept in this browser, and in a saved search.
          </Text>
          <Button
            variant="subtle"
            size="xs"
            disabled={columns.join() === USUAL_COLUMNS.join()}
            onClick={() => onChange(USUAL_COLUMNS)}
          >
            Usual columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
