import type { components } from '../../../api/schema';
import { Alert, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { bytes, count } from '../../../display/amounts';
import { FormDialog } from '../../../display/FormDialog';
import {
  destinationsQuery,
  estimateQuery,
  requestExport,
  useChange,
  type ExportRequest,
} from './queries';

export const FORMATS = [
  { value: 'json', label: 'JSON lines' },
  { value: 'csv', label: 'CSV' },
  { value: 'syslog', label: 'Syslog (RFC 5424)' },
  { value: 'cef', label: 'CEF' },
  { value: 'parquet', label: 'Parquet' },
];
const MARKED = ['format', 'start_time', 'end_time', 'query', 'destination'];

/** An export to ask for, with its expected size before it starts. */
export function ExportForm({ onClose }: { onClose: () => void }) {
  const request = useChange(requestExport);
  const destinations = useQuery(destinationsQuery).data?.items ?? [];
  const form = useForm({
    initialValues: {
      format: 'json',
      start_time: 'now-7d',
      end_time: 'now',
      query: '',
      destination: '',
    },
  });
  const [asked] = useDebouncedValue(form.values, 400);
  const submit = form.onSubmit((values) => {
    const onSuccess = () => {
      announce('Export started');
      onClose();
    };
    request.mutate(given(values), {
      onSuccess,
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    });
  });
  return (
    <FormDialog
      title="New export"
      submit="Start export"
      error={request.error}
      marked={MARKED}
      pending={request.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Format"
        data={FORMATS}
        allowDeselect={false}
        {...form.getInputProps('format')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="From"
          description="A time such as 2026-11-01T00:00:00Z, or now-7d"
          {...form.getInputProps('start_time')}
        />
        <TextInput
          label="To"
          description="Empty for the end of the log"
          {...form.getInputProps('end_time')}
        />
      </SimpleGrid>
      <TextInput
        label="Query"
        description="Empty for every entry"
        placeholder="event_type:resource.*"
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('query')}
      />
      {destinations.length > 0 && (
        <Select
          label="Destination"
          description="The files can be downloaded in any case"
          data={[
            { value: '', label: 'Download only' },
            ...destinations.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('destination')}
        />
      )}
      <Expected
        asked={given({ ...asked, destination: '' })}
        onNarrow={(start) => form.setFieldValue('start_time', start)}
      />
    </FormDialog>
  );
}

function given({
  destination,
  start_time,
  end_time,
  query,
  format,
}: {
  format: string;
  start_time: string;
  end_time: string;
  query: string;
  destination: string;
}): ExportRequest {
  return {
    format: format as components['schemas']['ExportFormat'],
    query,
    start_time: start_time || undefined,
    end_time: end_time || undefined,
    destination: destination || undefined,
  };
}

function Expected({
  asked,
  onNarrow,
}: {
  asked: ExportRequest;
  onNarrow: (start: string) => void;
}) {
  const { data, error } = useQuery(estimateQuery(asked));
  if (error)
    return (
      <Text size="sm" className="muted">
        {Object.values(fieldMessages(error))[0] ?? error.message}
      </Text>
    );
  if (!data)
    return (
      <Text size="sm" className="muted">
        Estimating the size
      </Text>
    );
  const size = `${count(data.entries)} entries, about ${bytes(data.bytes)}`;
  if (data.fits)
    return (
      <Text size="sm" role="status">
        Expected: {size}.
      </Text>
    );
  const { narrower } = data;
  return (
    <Alert color="red" title="The period is too wide">
      <Text size="sm">
        {size}; one export holds at most {bytes(data.limit_bytes)}.
      </Text>
      {narrower && (
        <Text size="sm">
          The period from{' '}
          <Text
            component="button"
            type="button"
            c="blue"
            td="underline"
            size="sm"
            onClick={() => onNarrow(narrower.start_time)}
          >
            {narrower.start_time}
          </Text>{' '}
          on would fit: {count(narrower.entries)} entries, about {bytes(narrower.bytes)}.
        </Text>
      )}
    </Alert>
  );
}
