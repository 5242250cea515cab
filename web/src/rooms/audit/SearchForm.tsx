import { Button, Collapse, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { SearchFilters } from '../../addresses';
import type { Problem } from '../../api/problem';
import { fromInput, toInput } from '../../display/instants';
import { Select } from '../../display/Select';
import { options } from '../../display/wording';
import { BasicFields } from './BasicSearch';
import { PERIODS, type Composed } from './compose';
import { QueryBox } from './QueryBox';

interface Props {
  filters: SearchFilters;
  composed: Composed;
  problem: Problem | undefined;
  busy: boolean;
  onSearch: (filters: SearchFilters) => void;
  /** Where searches are kept and opened. */
  saved: ReactNode;
}

const ADVANCED = ['resource_id', 'resource_type', 'status', 'severity', 'ip_address'] as const;
const CUSTOM = 'custom';

/** The query, the basic and the advanced filters; all of them must hold. */
export function SearchForm({ filters, composed, problem, busy, onSearch, saved }: Props) {
  const [draft, setDraft] = useState(filters);
  const [seen, setSeen] = useState(filters);
  const used = ADVANCED.filter((name) => filters[name]).length;
  const [open, setOpen] = useState(used > 0);
  if (seen !== filters) {
    setSeen(filters);
    setDraft(filters);
  }
  const set = (change: SearchFilters) => setDraft({ ...draft, ...change });
  const text = (label: string, name: (typeof ADVANCED)[number], placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={draft[name] ?? ''}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  const period =
    draft.start === undefined && draft.end === undefined
      ? ''
      : (PERIODS.find(({ value }) => value === draft.start)?.value ?? CUSTOM);
  const choosePeriod = (value: string | null) => {
    if (value === CUSTOM)
      set({
        start: new Date(Date.now() - 86_400_000).toISOString(),
        end: new Date().toISOString(),
      });
    else set({ start: value || undefined, end: undefined });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(draft);
      }}
      role="search"
      aria-label="Search the log"
    >
      <Stack gap="sm">
        <QueryBox
          value={draft.query ?? ''}
          onChange={(query) => set({ query })}
          problem={problem}
          asked={filters.query?.trim() ?? ''}
          shift={composed.shift}
        />
        <BasicFields draft={draft} set={set} />
        <Group gap="sm" align="flex-end">
          <Select
            aria-label="Time range"
            w={180}
            allowDeselect={false}
            value={period}
            onChange={choosePeriod}
            data={[
              { value: '', label: 'All time' },
              ...PERIODS.map(({ value, label }) => ({ value, label })),
              { value: CUSTOM, label: 'From and to' },
            ]}
          />
          {period === CUSTOM && (
            <>
              <TextInput
                aria-label="From"
                type="datetime-local"
                value={draft.start ? toInput(new Date(draft.start)) : ''}
                onChange={(event) => set({ start: fromInput(event.currentTarget.value) })}
              />
              <TextInput
                aria-label="To"
                type="datetime-local"
                value={draft.end ? toInput(new Date(draft.end)) : ''}
                onChange={(event) => set({ end: fromInput(event.currentTarget.value) })}
              />
            </>
          )}
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={16} />}
            onClick={() => setOpen(!open)}
            aria-expanded={open}
          >
            Advanced{used ? ` (${used})` : ''}
          </Button>
          <Button type="submit" loading={busy}>
            Search
          </Button>
          {saved}
          <Switch
            label="Include reads of the log"
            checked={Boolean(draft.reads)}
            style={{ alignSelf: 'center' }}
            onChange={(event) =>
              onSearch({ ...draft, reads: event.currentTarget.checked ? 'yes' : undefined })
            }
          />
        </Group>
        <Collapse expanded={open}>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm" pb={4}>
            {text('Resource type', 'resource_type', 'virtual_machine')}
            {text('Resource id', 'resource_id', 'Exact, or * at the end')}
            {text('IP address', 'ip_address', '10.0.* or 10.0.0.0/8')}
            <Select
              label="Status"
              placeholder="Any"
              clearable
              data={options(['success', 'failed', 'denied', 'pending'])}
              value={draft.status ?? null}
              onChange={(value) => set({ status: value ?? undefined })}
            />
            <Select
              label="Severity"
              placeholder="Any"
              clearable
              data={options(['info', 'low', 'medium', 'high', 'critical'])}
              value={draft.severity ?? null}
              onChange={(value) => set({ severity: value ?? undefined })}
            />
          </SimpleGrid>
        </Collapse>
      </Stack>
    </form>
  );
}
