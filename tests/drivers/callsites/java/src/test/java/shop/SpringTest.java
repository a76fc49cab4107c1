package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.ReactiveMongoTemplate;
import org.springframework.data.mongodb.core.query.Update;

@SpringBootTest
class SpringTest {
  @Autowired private MongoTemplate template;
  @Autowired private ReactiveMongoTemplate reactive;
  @Autowired private OrderRepository orders;

  @BeforeEach
  void fill() {
    template.remove(query(where("customer").gte(0)), Order.class);
    List<Order> all = new ArrayList<>();
    for (int i = 0; i < 10; ++i) {
      Order order = new Order();
      order.id = order.customer = order.amount = i;
      order.status = "open";
      all.add(order);
    }
    template.insertAll(all);
  }

  @Test
  void repositories() {
    assertEquals(10, orders.findByStatus("open").size()); // scatter
    assertEquals(3, orders.countByAmountGreaterThan(6)); // scatter
    assertEquals(0, orders.repaint("red")); // scatter
    assertEquals(5, orders.findById(5).orElseThrow().amount); // scatter
    Order order = orders.findByCustomer(4);
    order.amount = 40;
    orders.save(order); // replaces by _id: mongos takes the shard key from the document
  }

  @Test
  void templates() {
    assertEquals(3, template.findOne(query(where("amount").is(3).and("color").is(null)), Order.class).customer); // scatter
    template.updateMulti(query(where("amount").is(7)), Update.update("color", "red"), Order.class); // scatter
    assertEquals(6, template.findAndModify(query(where("amount").is(6)), Update.update("n", 1), Order.class).customer); // scatter
    assertEquals(1, template.findDistinct(query(where("amount").is(4)), "status", Order.class, String.class).size()); // scatter
    assertEquals(2, template.find(query(where("customer").is(2)), Order.class).get(0).amount);
  }

  @Test
  void reactiveTemplates() {
    assertEquals(1, reactive.findOne(query(where("amount").is(1).and("n").is(null)), Order.class).block().customer); // scatter
    assertEquals(1, reactive.updateMulti(query(where("amount").is(8)), Update.update("color", "red"), Order.class)
        .block().getModifiedCount()); // scatter
    assertEquals(1, reactive.count(query(where("amount").is(9)), Order.class).block()); // scatter
  }
}
