import {
  Autocomplete,
  Button,
  FileButton,
  Group,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileImport } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';
import type { Calendar } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { useChange } from '../queries';
import { FormDialog } from '../../../display/FormDialog';
import { glance, MOST_BYTES, objection } from './icalendar';
import { changeCalendar, importCalendar } from './queries';

const ZONES = Intl.supportedValuesOf('timeZone');
const FIELDS = ['name', 'kind', 'time_zone', 'icalendar', 'url'];

interface Props {
  calendar?: Calendar;
  onMade?: (id: string) => void;
  onClose: () => void;
}

/** A calendar from a file or pasted text; one that is known may keep its text. */
export function CalendarForm({ calendar, onMade, onClose }: Props) {
  const make = useChange(importCalendar);
  const patch = useChange(changeCalendar);
  const change = calendar ? patch : make;
  const form = useForm({
    initialValues: {
      name: calendar?.name ?? '',
      kind: calendar?.kind ?? 'traffic',
      time_zone: calendar?.time_zone ?? '',
      icalendar: '',
      url: '',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      icalendar: (value, { url }) =>
        (calendar ?? url.trim()) && value.trim() === '' ? null : (objection(value) ?? null),
    },
  });
  const submit = form.onSubmit(({ name, kind, time_zone, icalendar, url }) => {
    const given = {
      name: name.trim(),
      kind,
      time_zone: time_zone.trim() || null,
      icalendar: icalendar.trim() === '' ? undefined : icalendar,
      url: url.trim() || undefined,
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (calendar)
      patch.mutate(
        { id: calendar.id, version: calendar.version, ...given },
        {
          onSuccess: () => {
            announce('Calendar saved.');
            onClose();
          },
          onError,
        },
      );
    else
      make.mutate(given, {
        onSuccess: ({ id, events }) => {
          announce(`${plural(events, 'event')} imported.`);
          onClose();
          onMade?.(id);
        },
        onError,
      });
  });
  const read = (text: string, file?: string) => {
    form.setFieldValue('icalendar', text);
    form.clearFieldError('icalendar');
    if (form.values.name.trim() === '')
      form.setFieldValue('name', glance(text).name ?? file?.replace(/\.ics$/i, '') ?? '');
  };
  return (
    <FormDialog
      title={calendar ? `Change ${calendar.name}` : 'Import a calendar'}
      size="lg"
      submit={calendar ? 'Save' : 'Import'}
      error={change.error}
      marked={FIELDS}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Address to subscribe to"
        placeholder={calendar?.address ?? 'https://calendar.example.com/sales.ics'}
        type="url"
        description={
          calendar?.address
            ? `Read every hour from ${calendar.address} Leave empty to keep it.`
            : 'Read every hour. In place of a file.'
        }
        {...form.getInputProps('url')}
      />
      <Source
        form={form}
        replaces={calendar !== undefined || form.values.url.trim() !== ''}
        onRead={read}
      />
      <TextInput
        label="Name"
        placeholder="Sales"
        maxLength={100}
        withAsterisk
        {...form.getInputProps('name')}
      />
      <Radio.Group label="Type of events" {...form.getInputProps('kind')}>
        <Stack gap={10} mt={8}>
          <Radio
            value="traffic"
            label="Traffic"
            description="Sales, launches, broadcasts: used to forecast peaks"
          />
          <Radio
            value="maintenance"
            label="Maintenance"
            description="Maintenance: used by rules that prepare a failover"
          />
        </Stack>
      </Radio.Group>
      <Autocomplete
        label="Time zone of times without one"
        placeholder="The file’s own, else UTC"
        data={ZONES}
        limit={50}
        maxDropdownHeight={240}
        {...form.getInputProps('time_zone')}
      />
    </FormDialog>
  );
}

interface SourceProps {
  form: {
    values: { icalendar: string };
    errors: Record<string, React.ReactNode>;
    setFieldError: (field: string, error: string) => void;
  };
  replaces: boolean;
  onRead: (text: string, file?: string) => void;
}

/** The text: chosen, dropped or pasted. */
function Source({ form, replaces, onRead }: SourceProps) {
  const [over, setOver] = useState(false);
  const take = (file: File | null | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES)
      form.setFieldError('icalendar', `${file.name} is larger than 1 MiB`);
    else void file.text().then((text) => onRead(text, file.name));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const { events } = glance(form.values.icalendar);
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
        <Text size="sm" className="muted">
          {replaces
            ? 'Paste the full text to replace all events. Leave empty to keep them.'
            : 'An .ics file, as calendar programs export it.'}
        </Text>
        <FileButton accept=".ics,text/calendar" onChange={take}>
          {(props) => (
            <Button {...props} variant="light" size="xs" leftSection={<IconFileImport size={15} />}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="iCalendar text"
        placeholder={'BEGIN:VCALENDAR\n…\nEND:VCALENDAR'}
        withAsterisk={!replaces}
        autosize
        minRows={5}
        maxRows={10}
        spellCheck={false}
        data-autofocus
        description={
          events > 0 ? `${plural(events, 'event')} in it` : 'Paste it here, or drop the file'
        }
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        value={form.values.icalendar}
        error={form.errors.icalendar}
        onChange={(event) => onRead(event.currentTarget.value)}
      />
    </div>
  );
}
