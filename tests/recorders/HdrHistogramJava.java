// SPDX-License-Identifier: GPL-3.0-or-later
// HdrHistogram for Java.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

public final class HdrHistogramJava {
    private static String asked(String json, String key) {
        String value = "(\\[[^\\]]*\\]|\"[^\"]*\"|[^,}]*)";
        Matcher found = Pattern.compile("\"" + key + "\": " + value).matcher(json);
        if (!found.find())
            throw new IllegalArgumentException(key);
        return found.group(1).replace("\"", "");
    }

    private static int column(String from) {
        return switch (from) {
            case "due" -> 0;
            case "sent" -> 1;
            case "started" -> 2;
            default -> 5;
        };
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader pipe = new BufferedReader(new InputStreamReader(System.in));
        if (!pipe.readLine().equals("duetime-conform 1"))
            throw new IOException("this is not version 1 of the pipe");
        String json = pipe.readLine();
        boolean corrects = !asked(json, "correction").equals("null");
        long interval = corrects ? Long.parseLong(asked(json, "interval_ns")) : 0;
        long warmup = Long.parseLong(asked(json, "warmup_ns"));
        int from = column(asked(json, "from"));
        boolean dropped = asked(json, "failures").equals("dropped");
        Histogram histogram = new Histogram(1, 86_400_000_000_000L, 3);
        for (String line; !(line = pipe.readLine()).equals("end");) {
            String[] words = line.split(" ");
            if (Long.parseLong(words[0]) < warmup || (dropped && !words[4].equals("ok")))
                continue;
            long value = Long.parseLong(words[3]) - Long.parseLong(words[from]);
            if (corrects)
                histogram.recordValueWithExpectedInterval(value, interval);
            else
                histogram.recordValue(value);
        }
        List<String> values = new ArrayList<>();
        for (String p : asked(json, "percentiles").replaceAll("[\\[\\] ]", "").split(","))
            values.add("\"" + p + "\": " + histogram.getValueAtPercentile(Double.parseDouble(p)));
        System.out.println("{\"count\": " + histogram.getTotalCount()
            + ", \"min\": " + histogram.getMinValue() + ", \"max\": " + histogram.getMaxValue() + ", \"mean\": " + histogram.getMean()
            + ", \"percentiles\": {" + String.join(", ", values) + "}}");
    }
}
