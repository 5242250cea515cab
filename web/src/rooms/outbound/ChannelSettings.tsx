import {
  Input,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  TagsInput,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ChannelField } from '../../api/channel-types';
import { defaultOf, type ChannelFields } from './fields';

type Form = UseFormReturnType<ChannelFields>;

/** The settings of a channel type, each by its form. */
export function ChannelSettings({ form, fields }: { form: Form; fields: ChannelField[] }) {
  if (fields.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: fields.length > 1 ? 2 : 1 }}>
      {fields.map((field) => (
        <Setting key={field.name} form={form} field={field} />
      ))}
    </SimpleGrid>
  );
}

function Setting({ form, field }: { form: Form; field: ChannelField }) {
  const input = form.getInputProps(`settings.${field.name}`);
  const shared = {
    label: field.label,
    description: field.description || undefined,
    placeholder: field.placeholder || defaultOf(field, form.values) || undefined,
    withAsterisk: field.required,
    autoComplete: 'off',
  };
  switch (field.form) {
    case 'port':
      return <NumberInput {...shared} min={1} max={65535} allowDecimal={false} {...input} />;
    case 'choice':
      return (
        <Input.Wrapper
          label={field.label}
          description={shared.description}
          labelElement="div"
          labelProps={{ display: 'block' }}
        >
          <SegmentedControl aria-label={field.label} data={field.choices} mt={4} {...input} />
        </Input.Wrapper>
      );
    case 'mailboxes':
      return <TagsInput {...shared} description="Press Enter after each address" {...input} />;
    default:
      return <TextInput {...shared} {...input} />;
  }
}
